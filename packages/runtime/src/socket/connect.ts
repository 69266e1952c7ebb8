import type { ChannelDescriptor } from '../core/descriptors.ts'
import { load } from '../core/async.ts'
import type { Client } from '../http/client.ts'
import { coreOf } from '../http/client-state.ts'
import type { ConnectOptions } from './options.ts'
import type { Connection } from './connection.ts'

/**
 * Opens a channel of a contract. The client makes a single attempt. If that attempt fails with a 401 and the
 * credential can be renewed, the client tries once more. The option `reconnect` applies only after a connection was
 * opened.
 *
 * The `WebSocket` of a platform such as a browser can't send headers. It can't open a channel whose credential is
 * sent in a header or a cookie. For such a channel, pass a `socketFactory`.
 *
 * @throws RequestInvalidError if the query or the parameters don't match the contract; SocketError (`socket-denied`)
 * if the server responds without opening a connection; ConnectionError, TimeoutError, OptionsError. An abort throws
 * the signal's own reason.
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
