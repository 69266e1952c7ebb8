import type { ChannelDescriptor } from '../core/descriptors.ts'
import { load } from '../core/async.ts'
import type { Client } from '../http/client.ts'
import { coreOf } from '../http/client-state.ts'
import type { ConnectOptions } from './options.ts'
import type { Connection } from './connection.ts'

/**
 * Opens a channel of a contract. If the attempt fails, the client doesn't try again, except once after a 401 with a
 * renewed credential. The option `reconnect` applies only to a connection that has been open.
 *
 * If the platform's `WebSocket` can't send headers, as in a browser, you can open only channels that need no
 * credential. For other channels, pass a `socketFactory`.
 *
 * @throws RequestInvalidError if the query or the parameters don't match the contract; SocketError (`socket-denied`) if the
 * server responds without opening a connection; ConnectionError, TimeoutError, OptionsError. An abort throws the signal's
 * own reason.
 * @public
 */
export async function connect<Query, Sends, Receives, Parameters>(
  client: Client,
  channel: ChannelDescriptor<Query, Sends, Receives, Parameters>,
  options: ConnectOptions<ChannelDescriptor<Query, Sends, Receives, Parameters>> = {},
): Promise<Connection<ChannelDescriptor<Query, Sends, Receives, Parameters>>> {
  const core = coreOf(client, channel.id)
  // The code for sockets is loaded with the first connection.
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
