import { atPointer, schemaOracle, type Operation, type SocketSpec, type Spec } from '@concord/spec-model'

import { isJson, headerValue, readJson, type Exchange, type Finding } from '../http/exchange.ts'
import { matchOperation } from '../oracle/parameters.ts'
import { judgeRequest } from '../oracle/request-judge.ts'
import { judgeResponse } from '../oracle/response-judge.ts'
import { judgeFrame } from '../socket/judge/judge-frame.ts'
import { judgeHandshake } from '../socket/judge/judge-handshake.ts'
import {
  exchangeOf,
  isSocket,
  leftOut,
  recorderName,
  removed,
  targetOf,
  type Har,
  type HarEntry,
} from './har.ts'

/** The findings about a recorded exchange or connection, without its content. @public */
export interface JudgedEntry {
  /** The number of the entry in the recording, from 1. */
  readonly entry: number
  /** The operation or channel of the entry; absent if the contract has none for it. */
  readonly operation?: string
  readonly method: string
  /** The contract's path template, or the recorded path. */
  readonly path: string
  readonly status: number
  readonly findings: readonly Finding[]
}

/** The result of checking a recording against a contract. @public */
export interface JudgedRecording {
  readonly judged: readonly JudgedEntry[]
  /** The number of entries that aren't in the contract: another server, or another kind of traffic. */
  readonly ignored: number
}

/**
 * Checks the HTTP exchanges of a recording against a contract.
 *
 * @param baseUrl the URL of the service. Default: the URL in the recording. Without either, entries of all URLs are
 *   checked, and entries that match no operation are ignored.
 */
export function judgeHar(spec: Spec, { log }: Har, baseUrl?: string): JudgedRecording {
  const oracle = schemaOracle(spec)
  const bases = baseUrl === undefined ? log._baseUrls : [baseUrl]
  const judged = log.entries.flatMap((entry, at): JudgedEntry[] => {
    if (isSocket(entry)) return []
    const target = bases?.length ? targetOf(entry, bases) : guessedTarget(spec, entry)
    if (target === undefined) return []
    const exchange = exchangeOf(entry, target)
    const ofRequest = judgeRequest(spec, oracle, exchange.request)
    const ofResponse = ofRequest.operation
      ? judgeResponse(ofRequest.operation, oracle, exchange.response).findings
      : []
    const { operation } = ofRequest
    return [
      {
        entry: at + 1,
        ...(operation ? { operation: operation.id } : {}),
        method: exchange.request.method,
        path: operation?.path ?? target.split('?')[0] ?? '',
        status: exchange.response.status,
        findings: [...ofRequest.findings, ...ofResponse].filter(
          (one) =>
            !isAboutRemoved(one, exchange, operation, entry) &&
            !(one.code === 'security' && !keepsHeaders(log)),
        ),
      },
    ]
  })
  return { judged, ignored: log.entries.length - judged.length }
}

/** Checks the WebSockets of a recording against a contract; see {@link judgeHar}. */
export function judgeSocketHar(spec: SocketSpec, { log }: Har, baseUrl?: string): JudgedRecording {
  const oracle = schemaOracle(spec)
  const bases = baseUrl === undefined ? log._baseUrls : [baseUrl]
  const judged = log.entries.flatMap((entry, at): JudgedEntry[] => {
    if (!isSocket(entry)) return []
    const { pathname, search } = new URL(entry.request.url)
    const target = bases?.length ? targetOf(entry, bases) : pathname + search
    if (target === undefined) return []
    const { request } = exchangeOf(entry, target)
    const { channel, findings } = judgeHandshake(spec, request)
    if (!channel && !bases?.length) return []
    const spoken = channel
      ? (entry._webSocketMessages ?? []).flatMap(({ type, opcode, data }) => {
          const frame = { binary: opcode === 2, data: Buffer.from(data, opcode === 2 ? 'base64' : 'utf8') }
          const verdict = judgeFrame(oracle, channel, type === 'send' ? 'sent' : 'received', frame)
          return verdict.findings.filter(({ at: place }) => !isRemovedAt(verdict.value, pointerOf(place)))
        })
      : []
    return [
      {
        entry: at + 1,
        ...(channel ? { operation: channel.id } : {}),
        method: 'WS',
        path: target.split('?')[0] ?? '',
        status: entry.response.status,
        findings: [...findings.filter((one) => one.code !== 'security' || keepsHeaders(log)), ...spoken],
      },
    ]
  })
  return { judged, ignored: log.entries.length - judged.length }
}

/**
 * Returns whether a recording has the headers with credentials. Our recordings contain them without the values;
 * browsers leave them out.
 */
const keepsHeaders = ({ creator }: Har['log']): boolean => creator.name === recorderName

/**
 * Finds the target of an entry without a base URL: the longest suffix of the path that matches an operation.
 */
function guessedTarget(spec: Spec, { request }: HarEntry): string | undefined {
  const { pathname, search } = new URL(request.url)
  const segments = pathname.split('/')
  for (let at = 1; at < segments.length; at += 1) {
    const path = `/${segments.slice(at).join('/')}`
    if (matchOperation(spec.operations, request.method.toUpperCase(), path + search)) return path + search
  }
  return undefined
}

/** Returns whether a finding is about a secret or a body that isn't in the recording. */
function isAboutRemoved(
  { at }: Finding,
  { request, response }: Exchange,
  operation: Operation | undefined,
  { comment, response: { content } }: HarEntry,
): boolean {
  const body = at.startsWith('request.body') ? request : at.startsWith('response.body') ? response : undefined
  if (!body) {
    const parameter = /^request\.(path|query|header|cookie)\.(.*)$/.exec(at)
    return (
      parameter !== null &&
      operation?.parameters.some((one) => one.name === parameter[2] && one.secret) === true
    )
  }
  const isLeftOut =
    comment?.startsWith(leftOut) || (body === response && content.text === undefined && content.size > 0)
  if (isLeftOut && body.body.length === 0) return true
  if (!isJson(headerValue(body.headers, 'content-type') ?? '')) return false
  return isRemovedAt(readJson(body.body)?.value, pointerOf(at))
}

/** Returns the JSON pointer in a finding's location, such as `/status` in `response.body/status`. */
const pointerOf = (place: string): string => (place.includes('/') ? place.slice(place.indexOf('/')) : '')

function isRemovedAt(value: unknown, pointer: string): boolean {
  return atPointer(value, pointer) === removed
}
