import {
  type ChannelDescriptor,
  type Client,
  connect,
  type Connection,
  type ConnectOptions,
  OptionsError,
  type SocketError,
} from '@concord/runtime'

import { finalSocketError } from './errors.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'
import { type Opening, Openings } from './openings.ts'
import type { SpeechOptions } from './options.ts'

/** Opens the channels of one client, within its limit of connections and at its addresses for WebSockets. */
export class Sockets {
  readonly #client: Client
  readonly #openings: Openings
  readonly #hasAgent: boolean

  constructor(client: Client, options: SpeechOptions) {
    this.#client = client
    this.#hasAgent = (options.socketUrls?.agentUrl ?? options.agentUrl) !== undefined
    this.#openings = new Openings(options.connectionLimit, options.weigh)
  }

  async connect<Query, Sends, Receives>(
    channel: ChannelDescriptor<Query, Sends, Receives>,
    options: ConnectOptions<ChannelDescriptor<Query, Sends, Receives>>,
  ): Promise<Connection<ChannelDescriptor<Query, Sends, Receives>>> {
    if (channel.server === 'agentUrl' && !this.#hasAgent)
      throw new OptionsError(
        'agentUrl',
        'is missing, and the voice agent is served there.',
        'Give the client the address of the agent.',
      )
    // What a connection takes of the limit; a query that is made anew for each connection is not looked at.
    const given = typeof options.query === 'function' ? undefined : (options.query as object | undefined)
    const share = this.#openings.share({
      channel: channel.id as Opening['channel'],
      query: { ...options.extra?.query, ...given },
    })
    const { finalError } = options
    return connect(this.#client, onSockets(channel), {
      ...share,
      ...options,
      finalError: (cause) =>
        finalError?.(cause) ?? finalSocketError(cause as AnyReceived | SocketError, channel.id),
    })
  }

  /** The same, with the types of the channel forgotten. */
  async open(
    channel: ChannelDescriptor<unknown, unknown, unknown>,
    query: object | undefined,
    options: ConnectOptions<ChannelDescriptor>,
  ): Promise<OpenChannel> {
    const whole = query === undefined ? options : { ...options, query }
    return (await this.connect(channel, whole)) as unknown as OpenChannel
  }
}

/** WebSockets may have addresses of their own; see `socketUrls`. */
function onSockets<Query, Sends, Receives>(
  channel: ChannelDescriptor<Query, Sends, Receives>,
): ChannelDescriptor<Query, Sends, Receives> {
  return { ...channel, server: channel.server === 'agentUrl' ? 'agentSocketUrl' : 'apiSocketUrl' }
}
