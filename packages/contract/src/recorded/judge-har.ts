import { atPointer, schemaOracle, type Operation, type SocketSpec, type Spec } from '@concord/spec-model'

import { isJson, headerValue, readJson, type Exchange, type Finding } from '../http/exchange.ts'
import { matchOperation } from '../oracle/parameters.ts'
import { judgeRequest } from '../oracle/request-judge.ts'
import { judgeResponse } from '../oracle/response-judge.ts'
import { judgeFrame } from '../socket/judge/judge-frame.ts'
import { judgeHandshake } from '../socket/judge/judge-handshake.ts'
import {
  exchangeOf,
  frameOf,
  isSocket,
  leftOut,
  pathOf,
  recorderName,
  removed,
  targetOf,
  type Har,
  type HarEntry,
} from './har.ts'

/** The findings about a recorded exchange or connection. They contain no bodies or frames. @public */
export interface JudgedEntry {
  /** The number of the entry in the recording, from 1. */
  readonly entry: number
  /** The id of the operation or channel. Absent if the entry matches none in the contract. */
  readonly operation?: string
  readonly method: string
  /** The operation's path template. For WebSockets and unknown operations, the recorded path. */
  readonly path: string
  readonly status: number
  readonly findings: readonly Finding[]
}

/**
 * Checks the HTTP exchanges of a recording against a contract. Leaves out exchanges with other servers.
 *
 * @param baseUrl the URL of the service. Default: the base URLs in the recording (`_baseUrls`). If the recording has
 *   none, hosts are ignored: an entry is checked if its path ends with an operation's path.
 */
export function judgeHar(spec: Spec, { log }: Har, baseUrl?: string): JudgedEntry[] {
  const oracle = schemaOracle(spec)
  return entriesBelow(log, baseUrl).flatMap(({ entry, number, below }): JudgedEntry[] => {
    if (isSocket(entry)) return []
    const target = below ?? guessedTarget(spec, entry)
    if (target === undefined) return []
    const exchange = exchangeOf(entry, target)
    const ofRequest = judgeRequest(spec, oracle, exchange.request)
    const { operation } = ofRequest
    const ofResponse = operation ? judgeResponse(operation, oracle, exchange.response).findings : []
    const findings = [...ofRequest.findings, ...ofResponse].filter(
      (one) =>
        !isAboutRemoved(one, exchange, operation, entry) && (one.code !== 'security' || keepsHeaders(log)),
    )
    return [
      {
        entry: number,
        ...(operation ? { operation: operation.id } : {}),
        method: exchange.request.method,
        path: operation?.path ?? target.split('?')[0] ?? '',
        status: exchange.response.status,
        findings,
      },
    ]
  })
}

/**
 * Checks the WebSockets of a recording against a contract; see {@link judgeHar}. If no base URL is known, a
 * WebSocket is checked only if its whole path matches a channel's address.
 */
export function judgeSocketHar(spec: SocketSpec, { log }: Har, baseUrl?: string): JudgedEntry[] {
  const oracle = schemaOracle(spec)
  return entriesBelow(log, baseUrl).flatMap(({ entry, number, below }): JudgedEntry[] => {
    if (!isSocket(entry)) return []
    const target = below ?? pathOf(entry)
    const { channel, findings } = judgeHandshake(spec, exchangeOf(entry, target).request)
    if (!channel && below === undefined) return []
    const spoken = (channel ? (entry._webSocketMessages ?? []) : []).flatMap((message) => {
      const direction = message.type === 'send' ? 'sent' : 'received'
      const verdict = judgeFrame(oracle, channel!, direction, frameOf(message))
      return verdict.findings.filter(({ at }) => !isRemovedAt(verdict.value, pointerOf(at)))
    })
    return [
      {
        entry: number,
        ...(channel ? { operation: channel.id } : {}),
        method: 'WS',
        path: target.split('?')[0] ?? '',
        status: entry.response.status,
        findings: [...findings.filter((one) => one.code !== 'security' || keepsHeaders(log)), ...spoken],
      },
    ]
  })
}

/**
 * Returns the entries whose URL begins with the service's URL. In each, `below` is the path and query after the
 * service's URL. If the service's URL isn't known, returns all entries, without `below`.
 */
function entriesBelow(
  { entries, _baseUrls }: Har['log'],
  baseUrl: string | undefined,
): { readonly entry: HarEntry; readonly number: number; readonly below?: string }[] {
  const bases = baseUrl === undefined ? (_baseUrls ?? []) : [baseUrl]
  return entries.flatMap((entry, at) => {
    const below = targetOf(entry, bases)
    if (below === undefined && bases.length > 0) return []
    return [{ entry, number: at + 1, ...(below !== undefined && { below }) }]
  })
}

/** From headers with credentials, `HarRecorder` removes only the secrets. Other programs may remove whole headers. */
const keepsHeaders = ({ creator }: Har['log']): boolean => creator.name === recorderName

/** Returns the longest suffix of an entry's path that matches an operation. */
function guessedTarget(spec: Spec, entry: HarEntry): string | undefined {
  const { pathname, search } = new URL(entry.request.url)
  const segments = pathname.split('/')
  const suffixes = segments.slice(1).map((_, at) => `/${segments.slice(at + 1).join('/')}${search}`)
  const method = entry.request.method.toUpperCase()
  return suffixes.find((suffix) => matchOperation(spec.operations, method, suffix))
}

/** Returns whether a finding concerns a secret that was removed from the recording, or a body that was left out. */
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
