import type { Media, Operation, ResponseSpec, SchemaOracle, Spec } from '@concord/spec-model'

import { generateValid, objection } from '../oracle/generate.ts'
import { generateItems } from '../oracle/generate-items.ts'
import { matchPath } from '../oracle/parameters.ts'
import { seededRandom } from '../oracle/random.ts'
import { judgeRequest } from '../oracle/request-judge.ts'
import { documentedResponse, statusNumber, undocumentedStatuses } from '../oracle/response-judge.ts'
import {
  acceptedRanges,
  type Finding,
  finding,
  headerValue,
  headerValues,
  isAccepted,
  type RecordedRequest,
  type RecordedResponse,
} from './exchange.ts'
import { streamFormat } from './item-streams.ts'
import { responseFromSpec } from './responder.ts'

export interface MockResponse {
  readonly operation?: Operation
  readonly response: RecordedResponse
  readonly findings: readonly Finding[]
}

const LABEL = 'x-concord-mock'

/**
 * Responds to a valid request with the first documented success and its first example. The request's `Prefer` header
 * can select another status (`code=404`), another example (`example=NAME`), or values generated from the schema
 * (`dynamic=true`). With `seed=TEXT`, the generated values are the same each time. Responds to an invalid request
 * with a documented error, or with an error that the mock creates.
 */
export function mockResponse(spec: Spec, oracle: SchemaOracle, request: RecordedRequest): MockResponse {
  const { operation, findings } = judgeRequest(spec, oracle, request)
  if (!operation) return { response: unknownOperation(spec, request), findings }
  const preferences = preferencesOf(request)
  const responseOf = (response: RecordedResponse): MockResponse => ({ operation, findings, response })
  const mistakes = findings.filter((one) => isRejected(operation, one))
  if (mistakes.length > 0)
    return responseOf(errorResponse(oracle, operation, statusOfMistake(operation, mistakes), mistakes))
  const { code } = preferences
  const chosen = code === undefined ? firstSuccess(operation) : documented(operation, code)
  if (!chosen) {
    const known = operation.responses.map(({ status }) => status).join(', ') || 'none'
    const missing =
      code === undefined ? 'no documented response' : `no response ${code}; documented: ${known}`
    return responseOf(ownResponse(400, `${operation.id} has ${missing}`))
  }
  const media = acceptable(chosen.response, request)
  if (media === 'none') {
    const types = chosen.response.media.map(({ type }) => type).join(' or ')
    return responseOf(ownResponse(406, `the response is ${types}, which the Accept header doesn't allow`))
  }
  if (!media) return responseOf(labeled(responseFromSpec(oracle, chosen), 'no body'))
  const value = valueOf(oracle, media, preferences)
  if ('value' in value) {
    const response = responseFromSpec(oracle, { ...chosen, media, value: value.value })
    return responseOf(labeled(response, value.label))
  }
  if (value.by === 'caller') return responseOf(ownResponse(400, value.problem))
  const missing: Finding = finding('no-example', 'response.body', value.problem)
  return { operation, findings: [...findings, missing], response: ownResponse(501, value.problem) }
}

interface Preferences {
  readonly code?: string | undefined
  readonly example?: string | undefined
  readonly dynamic: boolean
  readonly seed?: string | undefined
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
  return {
    code: preference('code'),
    example: preference('example'),
    dynamic: preference('dynamic') === 'true',
    seed: preference('seed'),
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
  const response = /^[1-5]\d\d$/.test(code) ? documentedResponse(operation, Number(code)) : undefined
  return response && { status: Number(code), response }
}

/**
 * Returns the documented media type that the Accept header lists first. Returns undefined if the response has no
 * body, and `none` if the header accepts no documented type.
 */
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
  /** The caller selected an example that doesn't exist, or the mock can't generate a value. */
  | { readonly problem: string; readonly by: 'caller' | 'mock' }

function valueOf(oracle: SchemaOracle, media: Media, { example, dynamic, seed }: Preferences): Value {
  if (example !== undefined) {
    const named = media.examples.find(({ name }) => name === example)
    if (named) return { value: named.value, label: `example ${named.name}` }
    const names = media.examples.map(({ name }) => JSON.stringify(name)).join(', ') || 'none'
    return {
      problem: `the contract has no example named ${JSON.stringify(example)} for this response; examples: ${names}`,
      by: 'caller',
    }
  }
  const [first] = media.examples
  if (first && !dynamic) return { value: first.value, label: `example ${first.name}` }
  const random = dynamic && seed === undefined ? Math.random : seededRandom(seed ?? media.type)
  const format = streamFormat(media.type)
  if (format) {
    const items = generateItems(oracle, media, format, random)
    return 'problem' in items ? { ...items, by: 'mock' } : items
  }
  const made = media.schema && generateValid(oracle, media.schema, random, 'full')
  if (made) return { value: made.value, label: 'generated from the schema' }
  if (!media.schema) return { value: '(bytes)', label: 'generated without a schema' }
  const why = objection(oracle, media.schema, seededRandom(media.type))
  return {
    problem: `the mock can't generate an example of ${media.type} from the schema (${why}); add an example to the contract`,
    by: 'mock',
  }
}

function unknownOperation({ operations }: Spec, { method, target }: RecordedRequest): RecordedResponse {
  const path = target.split('?')[0] ?? ''
  const methods = operations.filter((one) => matchPath(one.path, path)).map((one) => one.method)
  if (methods.length === 0) return ownResponse(404, `the contract has no path ${path}`)
  const response = ownResponse(405, `the contract has no ${method} ${path}`)
  return { ...response, headers: [...response.headers, ['allow', methods.join(', ')]] }
}

/** Most services accept credentials and query parameters that they don't need, so the mock does, too. */
function isRejected({ security, parameters }: Operation, { code, at }: Finding): boolean {
  if (code === 'security') return security.length > 0 && security.every((schemes) => schemes.length > 0)
  return code !== 'query' || parameters.some((one) => at === `request.query.${one.name}`)
}

function statusOfMistake(operation: Operation, findings: readonly Finding[]): number {
  const has = (code: Finding['code']): boolean => findings.some((one) => one.code === code)
  if (has('security')) return 401
  if (has('accept')) return 406
  if (has('content-type')) return 415
  return operation.responses.some(({ status }) => status === '422') ? 422 : 400
}

function errorResponse(
  oracle: SchemaOracle,
  operation: Operation,
  status: number,
  findings: readonly Finding[],
): RecordedResponse {
  const chosen = documented(operation, String(status))
  const media = chosen?.response.media[0]
  const why = findings.map(({ at, message }) => `${at}: ${message}`).join('; ')
  if (!chosen || !media) return ownResponse(status, why)
  const value = valueOf(oracle, media, { dynamic: false })
  if ('problem' in value) return ownResponse(status, why)
  return labeled(
    responseFromSpec(oracle, { ...chosen, status, media, value: value.value }),
    `${value.label}; ${why}`,
  )
}

function labeled(response: RecordedResponse, label: string): RecordedResponse {
  // Header values must be ASCII, but a label can contain any character.
  const shown = label.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 500)
  return { ...response, headers: [...response.headers, [LABEL, shown]] }
}

function ownResponse(status: number, message: string): RecordedResponse {
  const headers = [['content-type', 'application/json'] as const]
  return labeled({ status, headers, body: Buffer.from(JSON.stringify({ message })) }, 'not from the contract')
}
