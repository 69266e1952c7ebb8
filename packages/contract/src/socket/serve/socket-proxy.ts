import { WebSocket } from 'ws'
import { ContractError, loadSocketSpec } from '@concord/spec-model'

import type { HeaderLine, RecordedAnswer } from '../../http/exchange.ts'
import { judgeHandshake } from '../judge/judge-handshake.ts'
import type { Handshake } from '../judge/channel-of.ts'
import type { Frame, FrameDirection } from '../judge/judge-frame.ts'
import type { HarRecorder, RecordedSocket } from '../../recorded/recorder.ts'
import {
  closeSocket,
  listenForSockets,
  sendFrame,
  toFrame,
  type Greeting,
  type SocketListener,
} from './listen.ts'
import { readDenial } from './read-denial.ts'
import type { SocketServeOptions } from './seen.ts'
import { teller } from './teller.ts'
import { ConnectionWatch } from './watch.ts'

/** How {@link serveSocketProxy} works. @public */
export interface SocketProxyOptions extends SocketServeOptions {
  /** Where the service is: one address, or one for each server of the document, by its host template. */
  readonly upstream: string | Readonly<Record<string, string>>
  /** Whose milliseconds the rules of silence count; the host's by default. For a stand-in with a time of its own. */
  readonly clock?: { monotonic(): number }
  /** Records every handshake and frame, without secrets. */
  readonly recorder?: HarRecorder
}

/** Headers that belong to one hop, or that the library writes itself. */
const ofTheHop = /^(?:host|connection|upgrade|sec-websocket-(?:key|version|extensions|accept))$/i

/**
 * Passes handshakes and frames on to a service, byte for byte and in order, and judges both directions by the document.
 * A denied upgrade is passed on with its status, headers and body.
 *
 * @throws ContractError when the document cannot be read, the upstream isn't an address, or the port is taken.
 * @public
 */
export async function serveSocketProxy(options: SocketProxyOptions): Promise<SocketListener> {
  const spec = typeof options.spec === 'string' ? await loadSocketSpec(options.spec) : options.spec
  const upstreamOf = (server: string): string => {
    const { upstream } = options
    return typeof upstream === 'string' ? upstream : (upstream[server] ?? '')
  }
  for (const { server } of spec.channels) checkUpstream(upstreamOf(server), server)
  const clock = options.clock ?? { monotonic: () => performance.now() }
  const started = clock.monotonic()
  const now = (): number => clock.monotonic() - started
  const upstreams = new Set<WebSocket>()
  let connections = 0

  const listener = await listenForSockets(async (handshake): Promise<Greeting> => {
    connections += 1
    const connection = connections
    const tell = teller(spec, handshake, options.onEvent)
    const { channel, findings } = judgeHandshake(spec, handshake)
    const about = { connection, path: handshake.target.split('?')[0] ?? '', findings }
    if (!channel) {
      tell({ kind: 'denied', status: 404, atMs: now(), ...about })
      return { status: 404, body: 'The contract has no channel at this path.' }
    }
    const startedMs = Date.now()
    const baseUrl = upstreamOf(channel.server)
    const opened = await open(baseUrl, handshake, upstreams)
    const record = (answer: RecordedAnswer): RecordedSocket | undefined =>
      options.recorder?.socket({
        baseUrl,
        request: { method: 'GET', body: new Uint8Array(), ...handshake },
        answer,
        startedMs,
        durationMs: Date.now() - startedMs,
      })
    if ('status' in opened) {
      const { status, headers, body } = opened
      record({ status, headers: Object.entries(headers), body: Buffer.from(body) })
      tell({ kind: 'denied', atMs: now(), channel: channel.id, status: opened.status, ...about })
      return opened
    }
    tell({ kind: 'opened', atMs: now(), channel: channel.id, ...about })
    const { socket: upstream, early } = opened
    const recorded = record({ status: 101, headers: [], body: new Uint8Array() })
    return {
      accept(client) {
        const watch = new ConnectionWatch({ spec, channel, connection, tell, now })
        join({ watch, recorded, client, upstream, early })
      },
      // One that is left open counts, where a service limits how many there are.
      abandon: () => upstream.terminate(),
    }
  }, options)
  const close = async (): Promise<void> => {
    for (const upstream of upstreams) upstream.terminate()
    await listener.close()
  }
  return { url: listener.url, close, [Symbol.asyncDispose]: close }
}

function checkUpstream(upstream: string, server: string): void {
  if (/^(?:https?|wss?):$/.test(URL.parse(upstream)?.protocol ?? '')) return
  throw new ContractError(
    'invalid-options',
    `The upstream of the server ${server} cannot be used as an address.`,
    'Pass an http, https, ws or wss address.',
  )
}

/** A service that does not answer a handshake for this long cannot be reached. */
const patienceMs = 30_000

/** Frames that arrived before the client connected, in order. */
interface Opened {
  readonly socket: WebSocket
  readonly early: Frame[]
}

function open(
  upstream: string,
  { target, headers }: Handshake,
  upstreams: Set<WebSocket>,
): Promise<
  Opened | { readonly status: number; readonly body: string; readonly headers: Record<string, string> }
> {
  const protocols = headers
    .filter(([name]) => /^sec-websocket-protocol$/i.test(name))
    .map(([, value]) => value)
  const socket = new WebSocket(`${upstream.replace(/^http/, 'ws').replace(/\/$/, '')}${target}`, protocols, {
    headers: headersOf(headers),
    perMessageDeflate: false,
    followRedirects: false,
    handshakeTimeout: patienceMs,
  })
  // From the beginning, so that those that never opened are closed too.
  upstreams.add(socket)
  socket.once('close', () => upstreams.delete(socket))
  const early: Frame[] = []
  const keep = (data: Parameters<typeof toFrame>[0], binary: boolean): void =>
    void early.push(toFrame(data, binary))
  socket.on('message', keep)
  return new Promise((resolve) => {
    socket.once('open', () => {
      resolve({ socket, early })
    })
    socket.once('unexpected-response', async (_request, response) => {
      const kept = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' && !/^(?:connection|content-length|transfer-encoding)$/.test(name)
          ? [[name, value]]
          : [],
      )
      resolve({
        status: response.statusCode ?? 502,
        body: (await readDenial(response)).toString(),
        headers: Object.fromEntries(kept),
      })
    })
    socket.on('error', (error) => {
      resolve({ status: 502, body: `The service cannot be reached: ${error.message}`, headers: {} })
    })
  })
}

function headersOf(lines: readonly HeaderLine[]): Record<string, string> {
  const kept = lines.filter(([name]) => !ofTheHop.test(name) && !/^sec-websocket-protocol$/i.test(name))
  return Object.fromEntries(kept)
}

interface Joined {
  readonly watch: ConnectionWatch
  readonly recorded: RecordedSocket | undefined
  readonly client: WebSocket
  readonly upstream: WebSocket
  readonly early: readonly Frame[]
}

function join({ watch, recorded, client, upstream, early }: Joined): void {
  let ended = false
  const see = (direction: FrameDirection, frame: Frame): void => {
    const { message } = watch.frame(direction, frame)
    recorded?.frame(direction, frame, message)
  }
  const receive = (frame: Frame): void => {
    see('received', frame)
    sendFrame(client, frame, upstream)
  }
  const end = (by: 'client' | 'server', other: WebSocket, code: number, reason: Buffer): void => {
    if (ended) return
    ended = true
    watch.closed(by, code)
    recorded?.closed(by, code)
    // 1005 and 1006 can't be sent: there was no close frame, so the other side gets none either.
    if (code === 1006) other.terminate()
    else if (code === 1005) other.close()
    else closeSocket(other, code, reason.toString())
  }
  for (const frame of early) receive(frame)
  upstream.removeAllListeners('message')
  upstream.on('message', (data, binary) => receive(toFrame(data, binary)))
  client.on('message', (data, binary) => {
    const frame = toFrame(data, binary)
    see('sent', frame)
    sendFrame(upstream, frame, client)
  })
  client.on('close', (code, reason) => end('client', upstream, code, reason))
  upstream.on('close', (code, reason) => end('server', client, code, reason))
  if (upstream.readyState !== upstream.OPEN) end('server', client, 1006, Buffer.alloc(0))
}
