import type { ChannelDescriptor } from '../core/descriptors.ts'
import { load } from '../core/async.ts'
import type { Client } from '../http/client.ts'
import { coreOf } from '../http/client-state.ts'
import type { ConnectOptions } from './options.ts'
import type { Connection } from './connection.ts'

/**
 * Opens a channel of a contract. It is tried once: `reconnect` applies to a connection that was open.
 *
 * A host whose `WebSocket` cannot send headers (a browser) can only open channels that need no credential; for others,
 * pass a `socketFactory`.
 *
 * @throws RequestInvalidError when the query or the parameters don't match the contract; SocketError (`socket-denied`) when the server
 * responds without opening a connection; ConnectionError, TimeoutError, OptionsError. An abort throws the signal's own
 * reason.
 * @public
 */
export async function connect<Query, Sends, Receives, Parameters>(
  client: Client,
  channel: ChannelDescriptor<Query, Sends, Receives, Parameters>,
  options: ConnectOptions<ChannelDescriptor<Query, Sends, Receives, Parameters>> = {},
): Promise<Connection<ChannelDescriptor<Query, Sends, Receives, Parameters>>> {
  const core = coreOf(client, channel.id)
  // Loaded with the first connection.
  const { openChannel } = await load(import('./open-channel.ts'), {
    operation: channel.id,
    signal: options.signal,
  })
  return openChannel(
    core,
    channel as ChannelDescriptor,
    options as ConnectOptions<ChannelDescriptor>,
  ) as never
}
