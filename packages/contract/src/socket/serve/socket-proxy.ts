import type { WebSocket } from 'ws'

import { type HeaderLine, headerValues, type RecordedResponse } from '../../http/exchange.ts'
import type { ListeningServer } from '../../http/listen.ts'
import type { Handshake } from '../judge/channel-of.ts'
import type { Frame, FrameDirection } from '../judge/judge-frame.ts'
import { socketSpecOf } from '../socket-spec.ts'
import type { HarRecorder, RecordedSocket } from '../../recorded/recorder.ts'
import { closeSocket, listenForSockets, sendFrame, toFrame, type Greet, type Greeting } from './listen.ts'
import { denialOf, dial, socketBase, upstreamOf } from './dial.ts'
import type { SocketServeOptions } from './seen.ts'
import { type ConnectionWatch, handshakeJudge } from './watch.ts'

/** Options of {@link serveSocketProxy}. @public */
export interface SocketProxyOptions extends SocketServeOptions {
  /**
   * The URL of the service, or one URL per server. Each key is the `host` of a server in the document, followed by
   * the server's `pathname`.
   */
  readonly upstream: string | Readonly<Record<string, string>>
  /**
   * The clock for the times of events, and for the rules about keep-alives. If the service is an emulator, pass the
   * emulator's clock. Default: this machine's clock.
   */
  readonly clock?: { monotonic(): number }
  /** Records every handshake and frame, without secrets. */
  readonly recorder?: HarRecorder
}

/** Headers that aren't forwarded: those that apply to a single hop, and those that the `ws` library sets. */
const ofTheHop = /^(?:host|connection|upgrade|sec-websocket-(?:key|version|extensions|accept))$/i

/** An HTTP token (RFC 9110, section 5.6.2), such as the name of a subprotocol. */
const isToken = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Forwards handshakes to a service. Forwards frames in both directions, unchanged and in order. Checks handshakes and
 * frames against the AsyncAPI document. If the service denies a handshake, the client gets the denial with its
 * status, headers and body.
 *
 * @throws ContractError if the document can't be read, the upstream isn't a valid URL, or the port is taken.
 * @public
 */
export async function serveSocketProxy(options: SocketProxyOptions): Promise<ListeningServer> {
  const { greet, close: closeUpstreams } = await proxyGreeting(options)
  const listener = await listenForSockets(greet, options)
  const close = async (): Promise<void> => {
    closeUpstreams()
    await listener.close()
  }
  return { url: listener.url, close, [Symbol.asyncDispose]: close }
}

/**
 * Forwards handshakes and frames as {@link serveSocketProxy} does.
 *
 * @returns `greet`, which handles handshakes, and `close`, which ends the connections to the service.
 */
export async function proxyGreeting(
  options: Omit<SocketProxyOptions, 'port' | 'host'>,
): Promise<{ readonly greet: Greet; close(): void }> {
  const spec = await socketSpecOf(options.spec)
  for (const channel of spec.channels) upstreamOf(options.upstream, channel)
  const { clock = { monotonic: () => performance.now() }, onEvent } = options
  const judge = handshakeJudge(spec, { clock, onEvent })
  const upstreams = new Set<WebSocket>()

  const greet = async (handshake: Handshake): Promise<Greeting> => {
    const { channel, denied, opened: accepted, watch } = judge(handshake)
    if (!channel) {
      denied(404)
      return { status: 404, body: 'The contract has no channel at this path.' }
    }
    const startedMs = Date.now()
    const baseUrl = upstreamOf(options.upstream, channel)
    const opened = await open(baseUrl, handshake, upstreams)
    const record = (response: RecordedResponse): RecordedSocket | undefined =>
      options.recorder?.socket({
        baseUrl,
        request: { method: 'GET', body: new Uint8Array(), ...handshake },
        response,
        startedMs,
        durationMs: Date.now() - startedMs,
      })
    if ('status' in opened) {
      const { status, headers, body } = opened
      record({ status, headers: Object.entries(headers), body: Buffer.from(body) })
      denied(status)
      return opened
    }
    accepted()
    const { socket: upstream, early } = opened
    const recorded = record({ status: 101, headers: [], body: new Uint8Array() })
    return {
      protocol: upstream.protocol,
      accept: (client) => join({ watch: watch(channel), recorded, client, upstream, early }),
      // Services may limit the number of open connections.
      abandon: () => upstream.terminate(),
    }
  }
  const close = (): void => {
    for (const upstream of upstreams) upstream.terminate()
  }
  return { greet, close }
}

/** An open connection to the service. */
interface Opened {
  readonly socket: WebSocket
  /** Frames that the service sent before the client's connection was accepted. */
  readonly early: Frame[]
}

async function open(
  upstream: string,
  { target, headers }: Handshake,
  upstreams: Set<WebSocket>,
): Promise<
  Opened | { readonly status: number; readonly body: string; readonly headers: Record<string, string> }
> {
  const protocols = headerValues(headers, 'sec-websocket-protocol').flatMap((value) =>
    value.split(',').map((one) => one.trim()),
  )
  if (protocols.some((one, at) => !isToken.test(one) || protocols.indexOf(one) !== at))
    return { status: 400, body: 'The header `Sec-WebSocket-Protocol` is invalid.', headers: {} }
  const socket = dial(`${socketBase(upstream)}${target}`, { headers: headersOf(headers), protocols })
  // The socket is added before it opens, so `close` ends it even if it never opens.
  upstreams.add(socket)
  socket.once('close', () => upstreams.delete(socket))
  const early: Frame[] = []
  socket.on('message', (data, binary) => early.push(toFrame(data, binary)))
  const denial = await denialOf(socket)
  if (!denial) return { socket, early }
  if (denial instanceof Error)
    return { status: 502, body: `The service can't be reached: ${denial.message}`, headers: {} }
  const kept = Object.entries(denial.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && !/^(?:connection|content-length|transfer-encoding)$/.test(name)
      ? [[name, value]]
      : [],
  )
  return { status: denial.status, body: denial.body.toString(), headers: Object.fromEntries(kept) }
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
    // 1005 (a close frame without a code) and 1006 (no close frame) can't be sent.
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
