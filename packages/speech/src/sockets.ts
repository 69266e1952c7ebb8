import {
  type ChannelDescriptor,
  type Client,
  connect,
  type ConcurrencyLimit,
  type Connection,
  type ConnectOptions,
  OptionsError,
  Semaphore,
  type SocketError,
} from '@concord/runtime'
import { functionOption, isConcurrencyLimit, load } from '@concord/runtime/internal'

import type { AnyReceived, ChannelOpener, OpenChannel } from './open-channel.ts'
import type { Opening, SpeechOptions, WeighOpening } from './options.ts'
import type * as Flows from './socket-flows.ts'

/** Loads the code for WebSockets. A client that only makes REST calls never needs this code. */
export function loadFlows(
  operation: string,
  options: { readonly signal?: AbortSignal | undefined } | undefined,
): Promise<typeof Flows> {
  return load(import('./socket-flows.ts'), { operation, signal: options?.signal })
}

/** Opens the channels of one client, within its connection limit and at its WebSocket URLs. */
export class Sockets implements ChannelOpener {
  readonly #client: Client
  readonly #limit: ConcurrencyLimit | undefined
  readonly #weigh: WeighOpening
  readonly #hasAgent: boolean

  /** @throws OptionsError if `connectionLimit` or `weigh` is invalid. */
  constructor(client: Client, options: SpeechOptions) {
    this.#client = client
    this.#hasAgent = (options.socketUrls?.agentUrl ?? options.agentUrl) !== undefined
    this.#limit = toSemaphore(options.connectionLimit)
    this.#weigh = functionOption(options.weigh, 'weigh') ?? (() => 1)
  }

  async connect<Query, Sends, Receives>(
    channel: ChannelDescriptor<Query, Sends, Receives>,
    options: ConnectOptions<ChannelDescriptor<Query, Sends, Receives>>,
  ): Promise<Connection<ChannelDescriptor<Query, Sends, Receives>>> {
    if (channel.server === 'agentUrl' && !this.#hasAgent)
      throw new OptionsError(
        'agentUrl',
        '`agentUrl` is missing, but the voice agent needs it.',
        'Pass the base URL of the agent as `agentUrl` when you create the client.',
      )
    const { finalSocketError } = await loadFlows(channel.id, options)
    const { finalError } = options
    return connect(this.#client, onSockets(channel), {
      ...this.#share(channel.id, options),
      ...options,
      finalError: (cause) =>
        finalError?.(cause) ?? finalSocketError(cause as AnyReceived | SocketError, channel.id),
    })
  }

  #share(
    channel: string,
    { extra, query }: Pick<ConnectOptions<ChannelDescriptor>, 'extra' | 'query'>,
  ): { readonly connectionLimit: ConcurrencyLimit; readonly weight: number } | undefined {
    if (this.#limit === undefined) return undefined
    // If `query` is a function, `weigh` doesn't see the query that the function returns.
    const opening = { channel, query: { ...extra?.query, ...(query as object | undefined) } } as Opening
    return { connectionLimit: this.#limit, weight: this.#weigh(opening) }
  }

  /** The same as {@link connect}, but without the types of the channel. */
  async open(
    channel: ChannelDescriptor<unknown, unknown, unknown>,
    query: object | undefined,
    options: ConnectOptions<ChannelDescriptor>,
  ): Promise<OpenChannel> {
    return (await this.connect(channel, { ...options, query })) as unknown as OpenChannel
  }
}

/** Makes the channel use the WebSocket URLs (see `socketUrls`). */
function onSockets<Query, Sends, Receives>(
  channel: ChannelDescriptor<Query, Sends, Receives>,
): ChannelDescriptor<Query, Sends, Receives> {
  return { ...channel, server: channel.server === 'agentUrl' ? 'agentSocketUrl' : 'apiSocketUrl' }
}

function toSemaphore(limit: number | ConcurrencyLimit | undefined): ConcurrencyLimit | undefined {
  if (limit === undefined || isConcurrencyLimit(limit)) return limit
  if (limit > 0 && Number.isFinite(limit)) return new Semaphore(limit)
  throw new OptionsError(
    'connectionLimit',
    'must be either a finite number above 0, or a `ConcurrencyLimit` such as a `Semaphore`.',
    'Pass one of these, or omit `connectionLimit` for no limit.',
  )
}
