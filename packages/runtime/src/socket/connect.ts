import type { ChannelDescriptor } from '../core/channel.ts'
import { ConcordError } from '../core/errors.ts'
import type { Client } from '../http/client.ts'
import { coreOf } from '../http/client-internals.ts'
import { emit } from '../http/drift.ts'
import type { Lease } from '../limit/semaphore.ts'
import type { ConnectOptions } from './connect-options.ts'
import type { Connection } from './connection.ts'
import { dial } from './dial.ts'
import { planChannel } from './plan.ts'
import { settingsOf } from './settings.ts'
import { SocketConnection } from './socket-connection.ts'

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
  const plan = planChannel(core, channel)
  const settings = settingsOf(core, channel, options as ConnectOptions<ChannelDescriptor>)
  const { signals, semaphore, weight } = settings
  let lease: Lease | undefined
  try {
    lease = await semaphore?.acquire(weight, signals)
    emit(core, { type: 'socket', channel: channel.id, state: 'connecting' })
    const link = await dial(core, plan, settings, signals)
    emit(core, { type: 'socket', channel: channel.id, state: 'open' })
    return new SocketConnection(core, plan, settings, link, lease) as unknown as Connection<
      ChannelDescriptor<Query, Sends, Receives>
    >
  } catch (error) {
    lease?.[Symbol.dispose]()
    const failure = ConcordError.is(error) ? error.code : 'aborted'
    emit(core, { type: 'socket', channel: channel.id, state: 'closed', failure })
    throw error
  }
}
