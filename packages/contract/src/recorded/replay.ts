import type { WebSocket } from 'ws'
import { isObject, sameJson } from '@concord/spec-model'

import {
  essenceOf,
  headerValue,
  isJson,
  readJson,
  type Exchange,
  type RecordedResponse,
  type RecordedRequest,
} from '../http/exchange.ts'
import type { ListeningServer } from '../http/listen.ts'
import { serveRequests } from '../http/serve-requests.ts'
import { decode, rawPairs } from '../oracle/parameters.ts'
import type { Handshake } from '../socket/judge/channel-of.ts'
import { closeSocket, sendFrame, type Greeting } from '../socket/serve/listen.ts'
import {
  exchangeOf,
  frameOf,
  isSocket,
  pathOf,
  readHar,
  removed,
  targetOf,
  type Har,
  type HarEntry,
} from './har.ts'

/** Options of {@link serveReplay}. @public */
export interface ReplayOptions {
  /** A HAR document, or the path of its file. */
  readonly har: Har | string
  /**
   * The URL of the recorded service. With `https://api.example/v2`, a recorded `/v2/jobs` is replayed at `/jobs`.
   * Default: the base URL in the recording. A browser's recording has no base URL, so if you omit this option, its
   * paths stay unchanged (`/v2/jobs`).
   */
  readonly baseUrl?: string
  /** Default 0: a free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Called for every request and handshake. */
  readonly onRequest?: (seen: ReplayedRequest) => void
}

/** A request or handshake that the server of {@link serveReplay} received. @public */
export interface ReplayedRequest {
  readonly method: string
  readonly path: string
  readonly status: number
  /** The reason why no recorded request matches; absent if one does. */
  readonly unmatched?: string
}

interface Recorded extends Exchange {
  readonly entry: HarEntry
  turns: number
}

/**
 * Serves recorded responses, without the service. If a request has the same method, path, query and JSON
 * body as a recorded request, it gets the recorded response. If several recorded requests match,
 * their responses are returned in order, and the last one repeats. A request that wasn't recorded gets a 501 that
 * names the most similar recorded request.
 *
 * On a WebSocket, the server sends the frames that the recorded client received. Wherever the recorded client sent a
 * message, the server waits for one.
 *
 * @throws ContractError if the file isn't HAR, or the port is taken.
 * @public
 */
export async function serveReplay(options: ReplayOptions): Promise<ListeningServer> {
  const har = typeof options.har === 'string' ? readHar(options.har) : options.har
  const recorded = recordedOf(har, options.baseUrl)
  const tell = (seen: ReplayedRequest): void => options.onRequest?.(seen)
  const respondTo = (request: RecordedRequest, socket: boolean): Recorded | RecordedResponse => {
    const found = match(
      recorded.filter((one) => isSocket(one.entry) === socket),
      request,
      socket ? 'WebSocket handshake' : 'HTTP request',
    )
    const path = request.target.split('?')[0] ?? ''
    if (typeof found !== 'string') {
      tell({ method: request.method, path, status: found.response.status })
      return found
    }
    tell({ method: request.method, path, status: 501, unmatched: found })
    const body = Buffer.from(JSON.stringify({ error: found }))
    return { status: 501, headers: [['content-type', 'application/json']], body }
  }
  const greet = ({ target, headers }: Handshake): Greeting => {
    const found = respondTo({ method: 'GET', target, headers, body: new Uint8Array() }, true)
    const denial = 'entry' in found ? found.response : found
    if ('entry' in found && denial.status === 101) return { accept: (socket) => play(socket, found.entry) }
    const kept = denial.headers.filter(([name]) => /^(?:content-type|retry-after)$/i.test(name))
    const body = Buffer.from(denial.body).toString()
    return { status: denial.status, body, headers: Object.fromEntries(kept) }
  }
  const { host, port } = options
  return serveRequests({
    async handler(request) {
      const found = respondTo(request, false)
      return { response: 'entry' in found ? found.response : found }
    },
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    greet,
  })
}

function recordedOf({ log }: Har, baseUrl: string | undefined): Recorded[] {
  const bases = baseUrl === undefined ? (log._baseUrls ?? []) : [baseUrl]
  return log.entries.flatMap((entry): Recorded[] => {
    const known = targetOf(entry, bases)
    if (known === undefined && bases.length > 0) return []
    return [{ entry, ...exchangeOf(entry, known ?? pathOf(entry)), turns: 0 }]
  })
}

/** Returns the recorded exchange for a request, or the reason why none matches. */
function match(recorded: readonly Recorded[], request: RecordedRequest, kind: string): Recorded | string {
  const ranked = recorded
    .map((one) => ({ one, differs: difference(one.request, request) }))
    .sort((one, other) => (one.differs?.rank ?? 0) - (other.differs?.rank ?? 0))
  const same = ranked.filter(({ differs }) => differs === undefined).map(({ one }) => one)
  const next = same.find((one) => one.turns === 0) ?? same.at(-1)
  if (next) {
    next.turns += 1
    return next
  }
  const what = `${request.method} ${request.target.split('?')[0]}`
  const [nearest] = ranked
  if (!nearest?.differs)
    return `No recorded request matches ${what}: the recording has no ${kind} whose URL begins with the base URL. Is --base-url right?`
  const { method, target } = nearest.one.request
  return `No recorded request matches ${what}. The most similar one is ${method} ${target.split('?')[0]}: ${nearest.differs.why}.`
}

/** Compares two requests; returns undefined if they match. The less similar the requests, the higher `rank` is. */
function difference(
  recorded: RecordedRequest,
  request: RecordedRequest,
): { readonly rank: number; readonly why: string } | undefined {
  const pathOf = (one: RecordedRequest): string => one.target.split('?')[0] ?? ''
  const [path, wanted] = [pathOf(recorded), pathOf(request)]
  if (path !== wanted) {
    const [segments, others] = [path.split('/'), wanted.split('/')]
    const differing = segments.filter(
      (segment, at) => segment !== others[at] && segment !== encodeURIComponent(removed),
    )
    const far = differing.length + Math.abs(segments.length - others.length)
    const methodToo = recorded.method === request.method ? 0 : 0.5
    if (far > 0) return { rank: 100 + far + methodToo, why: 'its path differs' }
  }
  if (recorded.method !== request.method) return { rank: 50, why: 'its method differs' }
  const names = differingNames(recorded.target, request.target)
  if (names.length > 0) return { rank: 10 + names.length, why: `its query differs in ${names.join(', ')}` }
  const place = differingBody(recorded, request)
  return place === undefined ? undefined : { rank: 1, why: place }
}

function differingNames(recorded: string, target: string): readonly string[] {
  const values = (one: string, name: string): string[] =>
    rawPairs(one).flatMap(([key, value]) => (key === name ? [decode(value)] : []))
  const names = new Set([...rawPairs(recorded), ...rawPairs(target)].map(([name]) => name))
  return [...names].filter((name) => {
    const [one, other] = [values(recorded, name), values(target, name)]
    return !one.includes(removed) && JSON.stringify(one) !== JSON.stringify(other)
  })
}

/**
 * Compares the content of two bodies only if both are JSON. Multipart bodies can't be compared: each of them has a
 * different boundary, and browsers don't record files.
 */
function differingBody(recorded: RecordedRequest, request: RecordedRequest): string | undefined {
  const typeOf = (one: RecordedRequest): string => essenceOf(headerValue(one.headers, 'content-type') ?? '')
  if ((recorded.body.length === 0) !== (request.body.length === 0))
    return 'only one of the two requests has a body'
  if (typeOf(recorded) !== typeOf(request))
    return `its content type differs: it is ${typeOf(recorded) || 'missing'}`
  if (!isJson(typeOf(request)) || request.body.length === 0) return undefined
  const [one, other] = [readJson(recorded.body), readJson(request.body)]
  return sameExceptRemoved(one?.value, other?.value) ? undefined : 'its JSON body differs'
}

function sameExceptRemoved(recorded: unknown, value: unknown): boolean {
  if (typeof recorded === 'string' && recorded.includes(removed)) return true
  if (Array.isArray(recorded) && Array.isArray(value))
    return recorded.length === value.length && recorded.every((one, at) => sameExceptRemoved(one, value[at]))
  if (!isObject(recorded) || !isObject(value)) return sameJson(recorded, value)
  const names = new Set([...Object.keys(recorded), ...Object.keys(value)])
  return [...names].every((name) => sameExceptRemoved(recorded[name], value[name]))
}

/** Plays the server side of a recorded WebSocket. */
function play(
  socket: WebSocket,
  { _webSocketMessages: messages = [], _webSocketClose: end }: HarEntry,
): void {
  let at = 0
  const advance = (): void => {
    for (let message = messages[at]; message?.type === 'receive'; message = messages[(at += 1)])
      sendFrame(socket, frameOf(message))
    if (at >= messages.length && end?.by === 'server') closeSocket(socket, end.code)
  }
  socket.on('message', () => {
    if (messages[at]?.type === 'send') at += 1
    advance()
  })
  advance()
}
