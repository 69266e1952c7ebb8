import type { ChannelDescriptor } from '../core/descriptors.ts'
import { load } from '../core/async.ts'
import type { Client } from '../http/client.ts'
import { coreOf } from '../http/client-state.ts'
import type { ConnectOptions } from './options.ts'
import type { Connection } from './connection.ts'

/**
 * Opens a channel of a contract. The client tries once. If the service responds with a 401 and the credential can be
 * renewed, the client tries a second time. The option `reconnect` applies only after a connection was opened.
 *
 * On platforms other than Node and Cloudflare Workers, the default socket is the global `WebSocket`. It can't send
 * headers, so pass a `socketFactory` if the channel's credential is sent in a header or a cookie.
 *
 * @throws RequestInvalidError if the query or the parameters don't match the contract; SocketError (`socket-denied`)
 * if the server responds without opening a connection; also ConnectionError, TimeoutError and OptionsError. On abort,
 * throws the signal's own reason.
 * @public
 */
export async function connect<Query, Sends, Receives, Parameters>(
  client: Client,
  channel: ChannelDescriptor<Query, Sends, Receives, Parameters>,
  options: ConnectOptions<ChannelDescriptor<Query, Sends, Receives, Parameters>> = {},
): Promise<Connection<ChannelDescriptor<Query, Sends, Receives, Parameters>>> {
  const core = coreOf(client, channel.id)
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
