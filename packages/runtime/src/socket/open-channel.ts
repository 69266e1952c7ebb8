import type { ChannelDescriptor } from '../core/channel.ts'
import { ConcordError } from '../core/errors.ts'
import type { ClientCore } from '../http/core.ts'
import { emit } from '../http/drift.ts'
import type { Lease } from '../limit/semaphore.ts'
import type { ConnectOptions } from './connect-options.ts'
import type { Connection } from './connection.ts'
import { dial } from './dial.ts'
import { planChannel } from './plan.ts'
import { settingsOf } from './settings.ts'
import { SocketConnection } from './socket-connection.ts'

/** Opens a channel for {@link connect}. */
export async function openChannel<Channel extends ChannelDescriptor>(
  core: ClientCore,
  channel: Channel,
  options: ConnectOptions<Channel>,
): Promise<Connection<Channel>> {
  const plan = planChannel(core, channel)
  const settings = settingsOf(core, channel, options as ConnectOptions<ChannelDescriptor>)
  const { signals, semaphore, weight } = settings
  let lease: Lease | undefined
  try {
    lease = await semaphore?.acquire(weight, signals)
    emit(core, { type: 'socket', channel: channel.id, state: 'connecting' })
    const link = await dial(core, plan, settings, signals)
    emit(core, { type: 'socket', channel: channel.id, state: 'open' })
    return new SocketConnection(core, plan, settings, link, lease) as unknown as Connection<Channel>
  } catch (error) {
    lease?.[Symbol.dispose]()
    const failure = ConcordError.is(error) ? error.code : 'aborted'
    emit(core, { type: 'socket', channel: channel.id, state: 'closed', failure })
    throw error
  }
}
