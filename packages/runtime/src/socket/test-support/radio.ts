import type { ChannelDescriptor } from '../../core/descriptors.ts'
import type { StandardSchema } from '../../core/check.ts'
import type { ClientOptions } from '../../http/client-options.ts'
import { type Client, createClient } from '../../http/client.ts'
import { KEY, textFields } from '../../http/test-support/fixtures.ts'
import {
  type MemoryHandshake,
  type MemoryPeer,
  type MemorySockets,
  memorySockets,
} from '../../testing/memory-socket.ts'
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts'
import { connect } from '../connect.ts'
import type { Connection } from '../connection.ts'
import type { ConnectOptions } from '../options.ts'

/** A message of the channel {@link radio}. The tests of this package use this channel of an imaginary service. */
interface Tune {
  readonly type: 'Tune'
  readonly pitch?: string
  readonly speed?: string
}

interface RadioSends {
  readonly audio: Uint8Array
  readonly keepAlive: { readonly type: 'KeepAlive' }
  readonly tune: Tune
  readonly note: { readonly text: string }
}

interface RadioReceives {
  readonly audio: Uint8Array
  readonly tuned: { readonly type: 'Tuned' }
  readonly refused: { readonly type: 'Refused' }
  readonly line: { readonly type: 'Line'; readonly text: string }
}

export type Radio = ChannelDescriptor<{ readonly band?: string }, RadioSends, RadioReceives>

const tag = (equals: string) => [{ pointer: '/type', equals }]

export const radio: Radio = {
  id: 'radio',
  address: '/v1/radio',
  server: 'api',
  security: ['key'],
  query: [{ name: 'band', required: false }],
  queryCheck: { schema: () => noNumbers },
  sends: {
    audio: { kind: 'binary', tags: [] },
    keepAlive: { kind: 'json', tags: tag('KeepAlive') },
    tune: { kind: 'json', tags: tag('Tune'), check: { schema: () => textFields('type') } },
    note: { kind: 'json', tags: [], check: { schema: () => textFields('text') } },
  },
  receives: {
    audio: { kind: 'binary', tags: [] },
    tuned: { kind: 'json', tags: tag('Tuned') },
    refused: { kind: 'json', tags: tag('Refused') },
    line: { kind: 'json', tags: tag('Line'), check: { schema: () => textFields('text') } },
  },
  replies: { tune: ['tuned', 'refused'] },
  rules: {
    keepAlive: {
      message: 'keepAlive',
      payload: { type: 'KeepAlive' },
      minIntervalMs: 3000,
      maxIntervalMs: 5000,
    },
    replay: ['tune'],
  },
  secrets: [],
}

/** The same channel, but with a gate: all other messages wait until the server has acknowledged `tune`. */
export const gatedRadio: Radio = { ...radio, rules: { ...radio.rules, gate: { message: 'tune' } } }

const noNumbers: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'fixture',
    validate(value) {
      const { band } = value as { band?: unknown }
      return typeof band === 'number'
        ? { issues: [{ message: 'must be a string', path: ['band'] }] }
        : { value }
    },
  },
}

interface Studio extends MemorySockets {
  readonly client: Client
  readonly clock: VirtualClock
  /** The peer of the newest connection. */
  readonly peer: MemoryPeer
  /** The states that the connections reported. Stays empty if the options have their own `observe`. */
  readonly states: readonly string[]
  /** The reported differences from the contract. */
  readonly drift: readonly unknown[]
}

/** Creates a client whose sockets lead to a handler in memory. Only the test moves the client's clock. */
export function studio(
  onConnect?: (peer: MemoryPeer) => MemoryHandshake,
  options: Partial<ClientOptions> = {},
): Studio {
  const sockets = memorySockets(onConnect)
  const clock = virtualClock({ autoAdvance: false })
  const states: string[] = []
  const drift: unknown[] = []
  const client = createClient({
    servers: { api: 'https://service.test/prefix' },
    credentials: { key: { in: 'header', name: 'Authorization', prefix: 'Token ', value: KEY } },
    socketFactory: sockets.socketFactory,
    onDrift: (report) => drift.push(report),
    observe: (event) => event.type === 'socket' && states.push(event.state),
    random: () => 0.5,
    clock,
    ...options,
  })
  return {
    ...sockets,
    client,
    clock,
    states,
    drift,
    get peer() {
      const peer = sockets.peers.at(-1)
      if (peer === undefined) throw new Error('No connection yet.')
      return peer
    },
  }
}

export function bytes(length: number, value = 1): Uint8Array {
  return new Uint8Array(length).fill(value)
}

type OpenedStudio = Studio & { readonly connection: Connection<Radio> }

/** An open connection to a studio. */
export async function opened(
  options: ConnectOptions<Radio> = {},
  setup: {
    readonly channel?: Radio
    readonly onConnect?: (peer: MemoryPeer) => MemoryHandshake
    readonly client?: Partial<ClientOptions>
  } = {},
): Promise<OpenedStudio> {
  const all = studio(setup.onConnect, setup.client)
  const connection = await connect(all.client, setup.channel ?? radio, options)
  // Spreading `all` would replace its getter `peer` with the getter's current value.
  return Object.assign(all, { connection })
}

/** An open connection to a studio, with `reconnect` turned on. */
export function openedRadio(
  onConnect?: (peer: MemoryPeer) => MemoryHandshake,
  options: ConnectOptions<Radio> = {},
): Promise<OpenedStudio> {
  return opened({ reconnect: true, ...options }, onConnect && { onConnect })
}

/** An open connection to a studio, on the channel {@link gatedRadio}. */
export function openedGate(options: ConnectOptions<Radio> = {}): Promise<OpenedStudio> {
  return opened({ acknowledged: ({ message }) => message === 'tuned', ...options }, { channel: gatedRadio })
}

/** Collects unhandled rejections until it is disposed. */
export function unhandledRejections(): Disposable & { readonly errors: readonly unknown[] } {
  const errors: unknown[] = []
  const note = (error: unknown): void => void errors.push(error)
  process.on('unhandledRejection', note)
  return { errors, [Symbol.dispose]: () => void process.off('unhandledRejection', note) }
}

/** Waits while the callbacks of settled promises run. */
export async function microtasks(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined
}

/** A source that never yields. */
export const silentSource: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
}

/** The content of the next gap that a connection yields. */
export async function nextGap(
  connection: AsyncIterable<{ readonly type: string; readonly data: unknown }>,
): Promise<unknown> {
  for await (const { type, data } of connection) if (type === 'reconnected') return data
  return undefined
}
