import {
  type Media,
  objectOf,
  type Operation,
  type ResponseSpec,
  type SchemaOracle,
} from '@concord/spec-model'
import { exampleNames, responseExamples, rowKey } from '../coverage/matrix.ts'
import { URL_ENCODED } from '../oracle/form-fields.ts'
import {
  acceptedRanges,
  essenceOf,
  type Finding,
  finding,
  headerValue,
  isAccepted,
  isJson,
  isText,
  typeToSend,
} from '../http/exchange.ts'
import type { Preference } from '../http/prism.ts'
import { responseFromSpec, type SpecResponse } from '../http/responder.ts'
import { generateValid } from '../oracle/generate.ts'
import { generateItems } from '../oracle/generate-items.ts'
import { streamFormat } from '../http/item-streams.ts'
import { seededRandom } from '../oracle/random.ts'
import { judgeResponse, statusNumber, undocumentedStatuses } from '../oracle/response-judge.ts'
import { callOnce, nothingSent } from './call.ts'
import { notSent, type Check, type CheckResult, type SuiteContext } from './context.ts'
import { askingFor, firstOf, requestCases, type RequestCase } from './inputs.ts'
import { judgeOutcome } from './outcome.ts'

/**
 * Returns checks in which Prism serves each example. If Prism isn't used, or can't serve an example, our own
 * responder serves the example.
 */
export function mockChecks(context: SuiteContext): Check[] {
  return context.spec.operations.flatMap((operation) => {
    const cases = requestCases(operation, context.oracle)
    const first = firstOf(cases)
    if (!first) return []
    return [
      ...cases
        .filter((requestCase) => !requestCase.needsEncoding)
        .map((requestCase): Check => {
          const row = rowKey('request', operation.id, '-', requestCase.media?.type ?? '-', requestCase.name)
          return { row, column: 'mock', run: (suite) => mockedRequest(suite, operation, requestCase) }
        }),
      ...operation.responses.flatMap((response) => responseChecks(operation, response, first)),
    ]
  })
}

function responseChecks(operation: Operation, response: ResponseSpec, request: RequestCase): Check[] {
  return responseExamples(operation.id, response).map(({ key, media, example }) => ({
    row: key,
    column: 'mock',
    run: (suite) => mockedResponse(suite, { operation, request, response, media, example }),
  }))
}

/** Tests that Prism reports no violation in the request, and that the client can read the response. */
async function mockedRequest(
  context: SuiteContext,
  operation: Operation,
  request: RequestCase,
): Promise<CheckResult> {
  const response = operation.responses.find((one) => one.status.startsWith('2')) ?? operation.responses[0]
  if (!response) return { by: 'prism', findings: [] }
  const [media] = response.media
  const isValid = (one: Media, name: string) =>
    !invalidExample(context.oracle, one, exampleValue(context, one, name)?.value)
  const example = media && (exampleNames(media).find((name) => isValid(media, name)) ?? '(generated)')
  return mockedResponse(context, { operation, request, response, media, example })
}

export interface MockedCase {
  readonly operation: Operation
  readonly request: RequestCase
  readonly response: ResponseSpec
  readonly media?: Media | undefined
  readonly example?: string | undefined
}

async function mockedResponse(context: SuiteContext, asked: MockedCase): Promise<CheckResult> {
  const { oracle } = context
  const { operation, response, media, example } = asked
  const { problem } = asked.request
  if (problem !== undefined) return notSent(problem)
  const one = { ...asked, request: askingFor(asked.request, response, media) }
  const obstacle = prismObstacle(context, one)
  const number = statusNumber(response)
  const statuses = number === undefined ? undocumentedStatuses(operation) : [number]
  const findings: Finding[] = []
  const value = exampleValue(context, media, example)
  if (media && value === undefined) {
    const message = 'has no example, and no value could be generated; add an example to the contract'
    return { by: 'responder', findings: [finding('no-example', media.type, message)] }
  }
  const wrong = media && invalidExample(oracle, media, value?.value, 'response.body')
  if (wrong) return { by: 'ajv', findings: [wrong] }
  for (const status of statuses) {
    const given: SpecResponse = { status, response, ...(media ? { media, value: value?.value } : {}) }
    findings.push(
      ...(obstacle === undefined
        ? await throughPrism(context, one, given, {
            status: response.status,
            ...(example ? { example } : {}),
            ...(media ? { mediaType: media.type } : {}),
          })
        : await throughResponder(context, one, given)),
    )
  }
  return obstacle === undefined ? { by: 'prism', findings } : { by: 'responder', note: obstacle, findings }
}

async function throughPrism(
  context: SuiteContext,
  { operation, request }: MockedCase,
  given: SpecResponse,
  preference: Preference,
): Promise<Finding[]> {
  const { prism, oracle } = context
  if (!prism) return []
  const objections: Finding[] = []
  const record = await callOnce(context, operation, request, async (received) => {
    const reply = await prism.exchange(received, preference)
    objections.push(...reply.findings)
    return reply.response
  })
  const findings = [...record.findings, ...nothingSent(record), ...objections]
  // After a violation, Prism doesn't return the requested response, so further checks would be meaningless.
  if (findings.length > 0 || !record.exchange) return findings
  findings.push(...acceptFindings(given.status, record.exchange.request.headers, given.media))
  findings.push(...judgeResponse(operation, oracle, record.exchange.response).findings)
  return [...findings, ...judgeOutcome(context, record.outcome, given)]
}

export async function throughResponder(
  context: SuiteContext,
  { operation, request }: Pick<MockedCase, 'operation' | 'request'>,
  given: SpecResponse,
): Promise<Finding[]> {
  const { oracle } = context
  const record = await callOnce(context, operation, request, () => responseFromSpec(oracle, given))
  const findings = [...record.findings, ...nothingSent(record)]
  if (findings.length > 0 || !record.exchange) return findings
  findings.push(...acceptFindings(given.status, record.exchange.request.headers, given.media))
  return [...findings, ...judgeOutcome(context, record.outcome, given)]
}

function acceptFindings(
  status: number,
  headers: readonly (readonly [string, string])[],
  media: Media | undefined,
): Finding[] {
  const accept = headerValue(headers, 'accept')
  // Services send errors in their usual media type, even if the request doesn't accept it.
  if (!media || accept === undefined || status >= 300) return []
  if (acceptedRanges(accept).some((range) => isAccepted(range, media.type))) return []
  return [finding('accept', 'request.headers.accept', `does not allow ${media.type}`)]
}

/** Returns the reason why Prism can't serve a response, if it can't. `prism-gaps.test.ts` tests Prism's faults. */
export function prismObstacle(
  { oracle, prism }: SuiteContext,
  { operation, request, response, media, example }: MockedCase,
): string | undefined {
  if (!prism) return 'Prism is not used.'
  if (!/^\d+$/.test(response.status)) return `Prism can't serve \`${response.status}\`.`
  const structured = response.headers.find(({ schema }) =>
    ['array', 'object'].includes(String(objectOf(oracle.deref(schema?.schema))['type'])),
  )
  if (structured) return `Prism can't write a header that is a list or an object (${structured.name}).`
  if (example?.startsWith('(')) return 'Prism has no example to select.'
  if (media && !isJson(media.type) && !media.type.startsWith('text/')) return "Prism can't serve bytes."
  if (request.media && essenceOf(request.media.type) === URL_ENCODED)
    return 'Prism supports only some of the styles in which form fields can be encoded.'
  if (request.media?.type === 'multipart/form-data') {
    const properties = objectOf(objectOf(oracle.deref(request.media.schema?.schema))['properties'])
    const rejected = Object.keys(properties).find((name) => {
      const { type } = objectOf(oracle.deref(properties[name]))
      return type === 'array' || type === 'object'
    })
    if (rejected) return `Prism rejects every multipart form with a list or an object (${rejected}).`
  }
  return operation.method === 'HEAD' ? 'Prism omits `Content-Type` in responses to HEAD.' : undefined
}

export function invalidExample(
  oracle: SchemaOracle,
  { type, schema }: Media,
  value: unknown,
  at = '',
): Finding | undefined {
  if (!schema || !isJson(typeToSend(type, value))) return undefined
  const [wrong] = oracle.judge(schema, value, 'response')
  return wrong && finding('no-example', at + wrong.path, `the example violates the contract: ${wrong.reason}`)
}

/** Returns the value of the example or, if the contract doesn't have this example, a generated value. */
export function exampleValue(
  { oracle, seed }: SuiteContext,
  media: Media | undefined,
  example: string | undefined,
): { readonly value: unknown } | undefined {
  if (!media) return undefined
  const named = media.examples.find((one) => one.name === example)
  if (named) return { value: named.value }
  const format = streamFormat(media.type)
  if (format) {
    const items = generateItems(oracle, media, format, seededRandom(seed))
    return 'value' in items ? items : undefined
  }
  const made = media.schema ? generateValid(oracle, media.schema, seededRandom(seed), 'full') : { value: {} }
  if (isJson(made ? typeToSend(media.type, made.value) : media.type)) return made
  return typeof made?.value === 'string' && isText(media.type) ? made : { value: 'generated text' }
}
