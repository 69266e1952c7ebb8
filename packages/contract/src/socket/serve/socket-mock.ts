import type { WebSocket } from 'ws'
import { schemaOracle, type SocketChannel, type SocketMessage, type SocketSpec } from '@concord/spec-model'

import { headerValue } from '../../http/exchange.ts'
import type { ListeningServer } from '../../http/listen.ts'
import { parse, type Frame } from '../judge/judge-frame.ts'
import { isKeepAlive } from '../judge/judge-rules.ts'
import { socketSpecOf } from '../socket-spec.ts'
import { correlated, messageExamples, messageFrame } from './example-frame.ts'
import { closeSocket, listenForSockets, sendFrame, toFrame, type Greet, type Greeting } from './listen.ts'
import type { SocketServeOptions } from './seen.ts'
import { type ConnectionWatch, handshakeJudge } from './watch.ts'

/** Options of {@link serveSocketMock}. @public */
export interface SocketMockOptions extends SocketServeOptions {
  readonly clock?: SocketClock
}

/** A source of time. With a virtual clock, tests don't have to wait for an idle connection to close. @public */
export interface SocketClock {
  /** Returns a time in milliseconds that never decreases. */
  monotonic(): number
  setTimer(callback: () => void, delayMs: number): { cancel(): void }
}

const hostClock: SocketClock = {
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

/**
 * Plays the server of every channel of an AsyncAPI document. If a handshake violates the document, the mock responds
 * with the status 400, 401 or 404. It responds to each message with an example of the documented reply. If no reply
 * is documented, it sends an example of a message that isn't a reply. Each time, it sends the next of these examples.
 * After the last example, it starts again with the first.
 *
 * The mock follows the channel's rules (`x-socket-rules`). For example, it can close an idle connection. A text frame
 * that violates the contract closes the connection with the code 1008. If the channel has a gate (a message that each
 * client must send first), the mock ignores all messages that arrive before this one, even invalid messages.
 *
 * A client can select an example with the header `Prefer: example=NAME` in its handshake.
 *
 * @throws ContractError if the document can't be read, or the port is taken.
 * @public
 */
export async function serveSocketMock(options: SocketMockOptions): Promise<ListeningServer> {
  return listenForSockets(await mockGreeting(options), options)
}

/** Returns a function that accepts or denies handshakes as {@link serveSocketMock} does. */
export async function mockGreeting(options: Omit<SocketMockOptions, 'port' | 'host'>): Promise<Greet> {
  const spec = await socketSpecOf(options.spec)
  const { clock = hostClock, onEvent } = options
  const judge = handshakeJudge(spec, { clock, onEvent })
  return (handshake): Greeting => {
    const { channel, findings, denied, opened, watch } = judge(handshake)
    if (!channel || findings.length > 0) {
      const status = !channel ? 404 : findings.some((one) => one.code === 'security') ? 401 : 400
      denied(status)
      const body = JSON.stringify({ findings })
      return { status, body, headers: { 'content-type': 'application/json' } }
    }
    opened()
    const preferred = /example=([^,;\s]+)/.exec(headerValue(handshake.headers, 'prefer') ?? '')?.[1]
    return {
      accept: (socket) => play({ spec, channel, watch: watch(channel), socket, clock, preferred }),
    }
  }
}

interface Played {
  readonly spec: SocketSpec
  readonly channel: SocketChannel
  readonly watch: ConnectionWatch
  readonly socket: WebSocket
  readonly clock: SocketClock
  /** The name of the example that the client selected. */
  readonly preferred: string | undefined
}

function play({ spec, channel, watch, socket, clock, preferred }: Played): void {
  const { rules } = channel
  const oracle = schemaOracle(spec)
  const unprompted = channel.receives.filter(
    (one) => !Object.values(channel.replies).flat().includes(one.key),
  )
  const examplesOf = (messages: readonly SocketMessage[]) =>
    messages.flatMap((message) => messageExamples(oracle, message).map((one) => ({ ...one, message })))
  const script = examplesOf(unprompted)
  let turn = 0
  let open = rules.gate === undefined
  let stalled = false
  let endedByUs = false
  let idle: { cancel(): void } | undefined

  const end = (code: number, reason: string): void => {
    endedByUs = true
    closeSocket(socket, code, reason)
  }
  const waitForSilence = (): void => {
    idle?.cancel()
    if (rules.idleCloseMs !== undefined)
      idle = clock.setTimer(
        () => end(1011, 'received no binary message and no keep-alive'),
        rules.idleCloseMs,
      )
  }
  const say = (message: SocketMessage, value: unknown): void => {
    if (socket.readyState !== socket.OPEN) return
    const frame = messageFrame(message, value)
    watch.frame('received', frame)
    sendFrame(socket, frame)
  }
  const reply = (sent: SocketMessage, frame: Frame): boolean => {
    const keys = channel.replies[sent.key] ?? []
    const choices = examplesOf(channel.receives.filter((one) => keys.includes(one.key)))
    const chosen = choices.find((one) => one.name === preferred) ?? choices[0]
    if (chosen) {
      const payload = sent.correlation === undefined ? undefined : parse(frame.data)?.value
      say(chosen.message, correlated(sent, payload, chosen.message, chosen.value))
    }
    return chosen !== undefined
  }
  const next = (): void => {
    const chosen = script.find((one) => one.name === preferred) ?? script[turn++ % script.length]
    if (chosen) say(chosen.message, chosen.value)
  }
  const receive = (frame: Frame): void => {
    const { message, findings } = watch.frame('sent', frame)
    if (frame.binary && frame.data.length === 0 && rules.emptyBinaryCloses)
      return end(1000, 'received an empty binary frame')
    if (frame.binary && isKeepAlive(rules, frame)) stalled = true
    if (frame.binary || message?.key === rules.keepAlive?.message) waitForSilence()
    if (!open && message?.key !== rules.gate?.message) return
    if (findings.length > 0) {
      if (!frame.binary) end(1008, findings[0]?.message ?? 'the message violates the contract')
      return
    }
    if (message?.key === rules.gate?.message) open = true
    if (!message || message.key === rules.keepAlive?.message || (frame.binary && stalled)) return
    if (!reply(message, frame)) next()
  }

  waitForSilence()
  socket.on('message', (data, binary) => receive(toFrame(data, binary)))
  socket.on('close', (code) => {
    idle?.cancel()
    watch.closed(endedByUs ? 'server' : 'client', code)
  })
}
