import type { Media, Operation, ResponseSpec, SchemaOracle } from '@concord/spec-model'
import {
  type Finding,
  finding,
  headerValue,
  isInRange,
  mediaTypeOf,
  readJson,
  type RecordedResponse,
} from '../http/exchange.ts'
import { itemSchemaOf, itemsIn, type StreamFormat, streamFormat } from '../http/item-streams.ts'
import { readings } from './parameters.ts'
import { isReadAsJson } from './request-judge.ts'

interface ResponseVerdict {
  readonly response?: ResponseSpec
  readonly media?: Media | undefined
  readonly findings: readonly Finding[]
}

/** Checks a response against the contract: status, headers, media type and body. */
export function judgeResponse(
  operation: Operation,
  oracle: SchemaOracle,
  reply: RecordedResponse,
): ResponseVerdict {
  const response = documentedResponse(operation, reply.status)
  if (!response) {
    const documented = operation.responses.map((one) => one.status).join(', ')
    const message = `${reply.status} is not documented for ${operation.id}; documented: ${documented}`
    return { findings: [finding('status', 'response.status', message)] }
  }
  const findings = judgeHeaders(response, oracle, reply)
  // A response to HEAD has the same headers as a response to GET, but never a body (RFC 9110, section 9.3.2).
  if (operation.method === 'HEAD') return { response, findings }
  if (response.media.length === 0) {
    // Contracts often don't document the bodies of errors, so an error may have an undocumented body.
    if (reply.body.length > 0 && reply.status < 400 && !response.openBody) {
      findings.push(finding('response-body', 'response.body', 'no body is documented, but one was sent'))
    }
    return { response, findings }
  }
  if (reply.body.length === 0 && response.openBody) return { response, findings }
  const type = mediaTypeOf(reply.headers)
  const media = response.media.find((one) => isInRange(one.type, type))
  if (!media) {
    const documented = response.media.map((one) => one.type).join(' or ')
    findings.push(
      finding('media-type', 'response.headers.content-type', `expected ${documented}, got ${type ?? 'none'}`),
    )
    return { response, findings }
  }
  return { response, media, findings: [...findings, ...judgeContent(media, oracle, reply)] }
}

/**
 * Finds the documented response for a status: the one with exactly this status, or else the one with its range (such
 * as `4XX`). Any other 2xx status matches a success response whose status is open (`x-not-shown`).
 */
export function documentedResponse({ responses }: Operation, status: number): ResponseSpec | undefined {
  const named = (key: string): ResponseSpec | undefined => responses.find((one) => one.status === key)
  const exact = named(String(status)) ?? named(`${String(status)[0]}XX`)
  if (exact) return exact
  if (status >= 400) return named('default')
  const success = responses.find((one) => one.status.startsWith('2'))
  if (!success) return named('default')
  return status >= 200 && status < 300 ? responses.find((one) => one.openStatus) : undefined
}

/** Returns a documented status as a number: for a range, its first status; for `default`, undefined. */
export function statusNumber({ status }: Pick<ResponseSpec, 'status'>): number | undefined {
  return status === 'default' ? undefined : Number(status.replace('XX', '00'))
}

/**
 * Returns a client error status and a server error status that the operation doesn't list. The operation may still
 * have a range (such as `4XX`) or a `default` for them.
 */
export function undocumentedStatuses(operation: Operation): number[] {
  const free = (candidates: readonly number[]): number[] =>
    candidates
      .filter((status) => !operation.responses.some((one) => one.status === String(status)))
      .slice(0, 1)
  return [...free([409, 422, 418, 404]), ...free([503, 502, 500])]
}

function judgeHeaders(response: ResponseSpec, oracle: SchemaOracle, reply: RecordedResponse): Finding[] {
  return response.headers.flatMap((header): Finding[] => {
    const value = headerValue(reply.headers, header.name)
    const at = `response.headers.${header.name}`
    if (value === undefined) {
      if (!header.required) return []
      return [finding('response-header', at, 'is required and was not sent')]
    }
    const { schema } = header
    if (!schema || readings(oracle, schema.schema, [value]).some((one) => oracle.accepts(schema, one)))
      return []
    const reason = oracle.judge(schema, value)[0]?.reason
    return [{ code: 'response-header', at, message: reason ?? 'does not match its schema' }]
  })
}

function judgeContent(media: Media, oracle: SchemaOracle, reply: RecordedResponse): Finding[] {
  const at = 'response.body'
  const text = Buffer.from(reply.body).toString('utf8')
  const format = streamFormat(media.type)
  if (format) return judgeItems(media, oracle, { text, format })
  let value: unknown = text
  if (isReadAsJson(media, oracle, mediaTypeOf(reply.headers))) {
    const read = readJson(text)
    if (!read) return [finding('response-body', at, 'is not JSON')]
    value = read.value
  } else if (!media.type.startsWith('text/')) return []
  if (!media.schema) return []
  return oracle
    .judge(media.schema, value, 'response')
    .map((issue) => finding('response-body', `${at}${issue.path}`, issue.reason))
}

function judgeItems(
  media: Media,
  oracle: SchemaOracle,
  { text, format }: { readonly text: string; readonly format: StreamFormat },
): Finding[] {
  const item = itemSchemaOf(oracle, media, format)
  if (!item || item.isWhole === true) return []
  return itemsIn(text, format, item.describes).flatMap((value, index) =>
    oracle
      .judge(item.at, value, 'response')
      .map((issue): Finding => finding('response-body', `response.body/${index}${issue.path}`, issue.reason)),
  )
}
