import {
  invalidOptions,
  objectOf,
  schemaOracle,
  type SocketChannel,
  type SocketMessage,
  type SocketSpec,
} from '@concord/spec-model'

import { type Finding, finding } from '../../http/exchange.ts'
import { credentialHeader, type Credentials, schemesFor } from '../../oracle/security.ts'
import { leastQuery, textsOf } from '../suite/handshake-cases.ts'
import type { Frame } from '../judge/judge-frame.ts'
import { socketSpecOf } from '../socket-spec.ts'
import { messageExamples, messageFrame } from './example-frame.ts'
import { sendFrame, toFrame } from './listen.ts'
import { denialOf, dial, socketBase, upstreamOf } from './dial.ts'
import type { SeenSocketEvent } from './seen.ts'
import { watchConnection } from './watch.ts'

/** Options of {@link playSocketClient}. @public */
export interface SocketPlayerOptions {
  /** A file, the name of a service in `@concord/specs`, or a document that is already loaded. */
  readonly spec: string | SocketSpec
  /**
   * The URL of the service, or one URL per server. Each key is the `host` of a server in the document, followed by
   * the server's `pathname`.
   */
  readonly upstream: string | Readonly<Record<string, string>>
  /**
   * Valid secrets, by the name of the security scheme. If a channel documents several alternatives for authorization,
   * the first alternative whose secrets are all set is used.
   */
  readonly credentials?: Credentials
  /** Values of path and query parameters, by name. They replace the document's examples. */
  readonly params?: Readonly<Record<string, string>>
  /** The channels to open. Default: all. */
  readonly channels?: readonly string[]
  /** Returns whether to send a message. Default: always true. Isn't called for keep-alives, which are never sent. */
  readonly sends?: (channel: SocketChannel, message: SocketMessage) => boolean
  /** The time to listen after the last message was sent, in milliseconds. Default 1,000. */
  readonly listenMs?: number
  /** The time limit for the response to a handshake, in milliseconds. Default 30,000. */
  readonly handshakeTimeoutMs?: number
  readonly onEvent?: (seen: SeenSocketEvent) => void
}

/** The result of playing the client on one channel. @public */
export interface PlayedChannel {
  readonly channel: string
  /** The status of the handshake: 101 if the channel opened, 0 if the service couldn't be reached. */
  readonly status: number
  /** The keys of the messages that the service sent, without duplicates. Echoes of client messages don't count. */
  readonly received: readonly string[]
  readonly findings: readonly Finding[]
}

/**
 * Plays the client on each channel of an AsyncAPI document. Sends the examples of all client messages except
 * keep-alives, and checks everything that the service sends. If a channel has a gate (a message that each client must
 * send first), the player sends this message first.
 *
 * @throws ContractError if the document can't be read, it lacks one of `channels`, or a URL is missing or invalid.
 * @public
 */
export async function playSocketClient(options: SocketPlayerOptions): Promise<readonly PlayedChannel[]> {
  const spec = await socketSpecOf(options.spec)
  const wanted = options.channels ?? spec.channels.map((one) => one.id)
  const played: PlayedChannel[] = []
  for (const id of wanted) {
    const channel = spec.channels.find((one) => one.id === id)
    if (!channel) {
      const known = spec.channels.map((one) => one.id).join(', ')
      throw invalidOptions(`The document has no channel \`${id}\`.`, `It has: ${known}.`)
    }
    played.push(await playChannel(spec, channel, played.length + 1, options))
  }
  return played
}

async function playChannel(
  spec: SocketSpec,
  channel: SocketChannel,
  connection: number,
  options: SocketPlayerOptions,
): Promise<PlayedChannel> {
  const findings: Finding[] = []
  const received = new Set<string>()
  const started = performance.now()
  const now = (): number => performance.now() - started
  const tell = (seen: SeenSocketEvent): void => {
    findings.push(...seen.findings)
    options.onEvent?.(seen)
  }
  const watch = watchConnection({ spec, channel, connection, tell, now })
  const { handshakeTimeoutMs, credentials = {} } = options
  const headers = headersOf(spec, channel, credentials)
  const socket = dial(addressOf(spec, channel, options), { headers, handshakeTimeoutMs })
  const said = new Set<string>()
  const about = { connection, channel: channel.id, path: channel.address }
  let heard: (() => void) | undefined
  let heardCount = 0
  socket.on('message', (data, binary) => {
    const frame = toFrame(data, binary)
    const { message } = watch.frame('received', frame)
    if (message && !said.has(keyOf(frame))) received.add(message.key)
    heardCount += 1
    if (heardCount >= MAX_MESSAGES) socket.terminate()
    heard?.()
  })
  const denial = await denialOf(socket)
  if (denial) {
    const status = denial instanceof Error ? 0 : denial.status
    const problem =
      denial instanceof Error
        ? finding('outcome', 'handshake', denial.message)
        : finding('status', 'handshake', `the handshake was denied with ${status}`)
    tell({ kind: 'denied', atMs: now(), ...about, status, findings: [problem] })
    return { channel: channel.id, status, received: [], findings }
  }
  tell({ kind: 'opened', atMs: now(), ...about, findings: [] })
  const listenMs = options.listenMs ?? 1000
  let endedByUs = false
  const closing = new Promise<void>((resolve) => {
    socket.once('close', (code) => {
      watch.closed(endedByUs ? 'client' : 'server', code)
      resolve()
    })
  })
  for (const { message, value } of linesOf(spec, channel)) {
    if (options.sends?.(channel, message) === false) continue
    if (socket.readyState !== socket.OPEN) break
    const frame = messageFrame(message, value)
    watch.frame('sent', frame)
    said.add(keyOf(frame))
    sendFrame(socket, frame)
    // After the gate's message, or a message that has a reply, a client must wait for the service's response.
    const isGate = channel.rules.gate?.message === message.key
    if (!isGate && !channel.replies[message.key]) continue
    const before = heardCount
    await Promise.race([new Promise<void>((resolve) => (heard = resolve)), closing, pause(listenMs)])
    // The service didn't acknowledge the gate's message, so the contract allows no other message.
    if (isGate && heardCount === before) break
  }
  await Promise.race([pause(listenMs), closing])
  endedByUs = socket.readyState === socket.OPEN
  socket.close(1000)
  await Promise.race([closing, pause(listenMs)])
  socket.terminate()
  return { channel: channel.id, status: 101, received: [...received], findings }
}

/** After this many messages from the service, the player ends the connection. */
const MAX_MESSAGES = 10_000

const keyOf = ({ binary, data }: Frame): string => `${binary} ${Buffer.from(data).toString('base64')}`

/** Lists the client's messages: first the gate's message, then other text messages, then binary messages. */
function linesOf(
  spec: SocketSpec,
  channel: SocketChannel,
): readonly { readonly message: SocketMessage; readonly value: unknown }[] {
  const rank = (message: SocketMessage): number =>
    message.key === channel.rules.gate?.message ? 0 : message.frame === 'text' ? 1 : 2
  const oracle = schemaOracle(spec)
  return [...channel.sends]
    .filter((message) => message.key !== channel.rules.keepAlive?.message)
    .sort((one, other) => rank(one) - rank(other))
    .flatMap((message) => messageExamples(oracle, message).map(({ value }) => ({ message, value })))
}

function addressOf(
  spec: SocketSpec,
  channel: SocketChannel,
  { upstream, credentials = {}, params = {} }: SocketPlayerOptions,
): string {
  const oracle = schemaOracle(spec)
  const query = new URLSearchParams()
  const properties = objectOf(objectOf(oracle.deref(channel.query?.schema))['properties'])
  for (const [name, value] of Object.entries(leastQuery(channel, oracle)))
    if (params[name] === undefined) for (const text of textsOf(value) ?? []) query.append(name, text)
  for (const [name, value] of Object.entries(params)) if (name in properties) query.append(name, value)
  for (const name of schemesFor(channel, credentials).schemes ?? []) {
    const scheme = spec.securitySchemes[name]
    if (scheme?.type === 'apiKey' && scheme.in === 'query') query.append(scheme.name, credentials[name] ?? '')
  }
  const search = query.size > 0 ? `?${query}` : ''
  return `${socketBase(upstreamOf(upstream, channel))}${pathOf(channel, params)}${search}`
}

function pathOf({ address, parameters }: SocketChannel, params: Readonly<Record<string, string>>): string {
  return address.replaceAll(/\{([^}]*)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? parameters[name]?.[0] ?? name),
  )
}

function headersOf(
  spec: SocketSpec,
  channel: SocketChannel,
  credentials: Credentials,
): Record<string, string> {
  const { schemes = [] } = schemesFor(channel, credentials)
  return Object.fromEntries(
    schemes.flatMap((name) => {
      const scheme = spec.securitySchemes[name]
      const line = scheme && credentialHeader(scheme, credentials[name] ?? '')
      return line ? [line] : []
    }),
  )
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
