import type { Media, Operation, ResponseSpec, SchemaOracle, Spec } from '@concord/spec-model'

import { generateValid, objection } from '../oracle/generate.ts'
import { matchPath } from '../oracle/parameters.ts'
import { seededRandom } from '../oracle/random.ts'
import { judgeRequest } from '../oracle/request-judge.ts'
import { documentedAnswer, statusNumber, undocumentedStatuses } from '../oracle/response-judge.ts'
import {
  acceptedRanges,
  headerValue,
  headerValues,
  isAccepted,
  type Finding,
  type RecordedAnswer,
  type RecordedRequest,
} from './exchange.ts'
import { specAnswer } from './responder.ts'

/** The answer of a mock, the operation that was asked for, and what is wrong with the request. */
export interface MockAnswer {
  readonly operation?: Operation
  readonly answer: RecordedAnswer
  readonly findings: readonly Finding[]
}

/** Says where the values of an answer are from; no answer of a mock is real. */
const LABEL = 'x-concord-mock'

/**
 * Answers a request from the contract alone. A request that keeps to it gets the first documented success with its first
 * example; `Prefer` chooses another answer (`code=404`, `example=NAME`, or `dynamic=true` and `seed=TEXT` for values made from
 * the schema). One that breaks it gets the documented error for that, or else an answer of the mock's own. Every
 * answer is labeled in the header `x-concord-mock`.
 */
export function mockAnswer(spec: Spec, oracle: SchemaOracle, request: RecordedRequest): MockAnswer {
  const { operation, findings } = judgeRequest(spec, oracle, request)
  if (!operation) return { answer: unknownOperation(spec, request), findings }
  const preferences = preferencesOf(request)
  const mistakes = findings.filter((one) => isRejected(operation, one))
  if (mistakes.length > 0) {
    const status = statusOfMistake(operation, mistakes)
    return { operation, findings, answer: errorAnswer(oracle, operation, status, mistakes) }
  }
  const chosen =
    preferences.code === undefined ? firstSuccess(operation) : documented(operation, preferences.code)
  if (!chosen) {
    const known = operation.responses.map(({ status }) => status).join(', ') || 'none'
    return {
      operation,
      findings,
      answer: ownAnswer(400, `${operation.id} has no answer ${preferences.code ?? ''}; documented: ${known}`),
    }
  }
  const media = acceptable(chosen.response, request)
  if (media === 'none') {
    const types = chosen.response.media.map(({ type }) => type).join(' or ')
    return {
      operation,
      findings,
      answer: ownAnswer(406, `the answer is ${types}, which the header Accept does not admit`),
    }
  }
  if (!media) return { operation, findings, answer: labeled(specAnswer(oracle, chosen), 'no body') }
  const value = valueOf(oracle, media, preferences)
  if ('problem' in value) {
    if (value.by === 'caller') return { operation, findings, answer: ownAnswer(400, value.problem) }
    const missing: Finding = { code: 'no-example', at: 'response.body', message: value.problem }
    return { operation, findings: [...findings, missing], answer: ownAnswer(501, value.problem) }
  }
  return {
    operation,
    findings,
    answer: labeled(specAnswer(oracle, { ...chosen, media, value: value.value }), value.label),
  }
}

interface Preferences {
  readonly code?: string
  readonly example?: string
  readonly dynamic: boolean
  readonly seed?: string
}

function preferencesOf({ headers }: RecordedRequest): Preferences {
  const pairs = headerValues(headers, 'prefer')
    .flatMap((line) => line.split(/[,;]/))
    .map((pair) => pair.trim().split('='))
  const preference = (name: string): string | undefined =>
    pairs
      .find(([key]) => key?.trim().toLowerCase() === name)?.[1]
      ?.trim()
      .replaceAll('"', '')
  const [code, example, seed] = [preference('code'), preference('example'), preference('seed')]
  return {
    ...(code === undefined ? {} : { code }),
    ...(example === undefined ? {} : { example }),
    ...(seed === undefined ? {} : { seed }),
    dynamic: preference('dynamic') === 'true',
  }
}

interface ChosenResponse {
  readonly status: number
  readonly response: ResponseSpec
}

function firstSuccess({ responses }: Operation): ChosenResponse | undefined {
  const response =
    responses.find(({ status }) => status.startsWith('2')) ??
    responses.find(({ status }) => status.startsWith('3')) ??
    responses.find(({ status }) => status === 'default') ??
    responses[0]
  return response && { status: statusNumber(response) ?? 200, response }
}

function documented(operation: Operation, code: string): ChosenResponse | undefined {
  const named = operation.responses.find(({ status }) => status.toLowerCase() === code.toLowerCase())
  if (named)
    return { status: statusNumber(named) ?? undocumentedStatuses(operation)[0] ?? 500, response: named }
  const response = /^[1-5]\d\d$/.test(code) ? documentedAnswer(operation, Number(code)) : undefined
  return response && { status: Number(code), response }
}

/** The first media type that the caller accepts; undefined without a body, `none` if the caller accepts none of them. */
function acceptable({ media }: ResponseSpec, { headers }: RecordedRequest): Media | undefined | 'none' {
  const accept = headerValue(headers, 'accept')
  if (accept === undefined || media.length === 0) return media[0]
  for (const range of acceptedRanges(accept)) {
    const found = media.find(({ type }) => isAccepted(range, type))
    if (found) return found
  }
  return 'none'
}

type Value =
  | { readonly value: unknown; readonly label: string }
  /** The caller asked for an example that isn't there, or the mock can't make a value. */
  | { readonly problem: string; readonly by: 'caller' | 'mock' }

function valueOf(oracle: SchemaOracle, media: Media, { example, dynamic, seed }: Preferences): Value {
  if (example !== undefined) {
    const named = media.examples.find(({ name }) => name === example)
    if (named) return { value: named.value, label: `example ${named.name}` }
    const names = media.examples.map(({ name }) => name).join(', ') || 'none'
    return { problem: `the contract has no example ${example} here; it has: ${names}`, by: 'caller' }
  }
  const [first] = media.examples
  if (first && !dynamic) return { value: first.value, label: `example ${first.name}` }
  const random = dynamic && seed === undefined ? Math.random : seededRandom(seed ?? media.type)
  const made = media.schema && generateValid(oracle, media.schema, random, 'full')
  if (made) return { value: made.value, label: 'made from the schema' }
  if (!media.schema) return { value: '(bytes)', label: 'made without a schema' }
  const why = objection(oracle, media.schema, seededRandom(media.type))
  return {
    problem: `the mock can't make an example of ${media.type} from the schema (${why}): add an example to the contract`,
    by: 'mock',
  }
}

function unknownOperation({ operations }: Spec, { method, target }: RecordedRequest): RecordedAnswer {
  const path = target.split('?')[0] ?? ''
  const methods = operations.filter((one) => matchPath(one.path, path)).map((one) => one.method)
  if (methods.length === 0) return ownAnswer(404, `the contract has no path ${path}`)
  const answer = ownAnswer(405, `the contract has no ${method} ${path}`)
  return { ...answer, headers: [...answer.headers, ['allow', methods.join(', ')]] }
}

/** Services ignore what they don't need: a credential that isn't required, and query parameters they don't know. */
function isRejected({ security, parameters }: Operation, { code, at }: Finding): boolean {
  if (code === 'security') return security.length > 0 && security.every((way) => way.length > 0)
  return code !== 'query' || parameters.some((one) => at === `request.query.${one.name}`)
}

function statusOfMistake(operation: Operation, findings: readonly Finding[]): number {
  const has = (code: Finding['code']): boolean => findings.some((one) => one.code === code)
  if (has('security')) return 401
  if (has('accept')) return 406
  if (has('content-type')) return 415
  return operation.responses.some(({ status }) => status === '422') ? 422 : 400
}

/** The documented error, if its first example is JSON or text; otherwise the findings as an answer of the mock's own. */
function errorAnswer(
  oracle: SchemaOracle,
  operation: Operation,
  status: number,
  findings: readonly Finding[],
): RecordedAnswer {
  const chosen = documented(operation, String(status))
  const media = chosen?.response.media[0]
  const why = findings.map(({ at, message }) => `${at}: ${message}`).join('; ')
  if (!chosen || !media) return ownAnswer(status, why)
  const value = valueOf(oracle, media, { dynamic: false })
  if ('problem' in value) return ownAnswer(status, why)
  return labeled(
    specAnswer(oracle, { ...chosen, status, media, value: value.value }),
    `${value.label}; ${why}`,
  )
}

function labeled(answer: RecordedAnswer, label: string): RecordedAnswer {
  // Header values are ASCII; names of examples and reasons may be anything.
  const shown = label.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 500)
  return { ...answer, headers: [...answer.headers, [LABEL, shown]] }
}

function ownAnswer(status: number, message: string): RecordedAnswer {
  const headers = [['content-type', 'application/json'] as const]
  return labeled({ status, headers, body: Buffer.from(JSON.stringify({ message })) }, 'not from the contract')
}
