import type { ChannelDescriptor } from '../core/channel.ts'
import { load } from '../core/load.ts'
import type { Client } from '../http/client.ts'
import { coreOf } from '../http/client-internals.ts'
import type { ConnectOptions } from './options.ts'
import type { Connection } from './connection.ts'

/**
 * Opens a channel of a contract. It is tried once; what `reconnect` says holds for a connection that stood.
 *
 * A host whose `WebSocket` cannot send headers (a browser) can only open channels that need no credential; for others
 * give a `socketFactory`.
 *
 * @throws RequestInvalidError when the query is not what the contract says; SocketError (`socket-refused`) when the
 * server answers with something else than a connection; ConnectionError, TimeoutError, OptionsError. An abort throws
 * the signal's own reason.
 * @public
 */
export async function connect<Query, Sends, Receives>(
  client: Client,
  channel: ChannelDescriptor<Query, Sends, Receives>,
  options: ConnectOptions<ChannelDescriptor<Query, Sends, Receives>> = {},
): Promise<Connection<ChannelDescriptor<Query, Sends, Receives>>> {
  const core = coreOf(client, channel.id)
  // Loaded by those who connect.
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
