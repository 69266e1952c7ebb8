import { bounded } from '../core/async.ts'
import type { ChannelDescriptor } from '../core/descriptors.ts'
import { TimeoutError } from '../core/errors.ts'
import { type ClientCore, emit } from '../http/client-state.ts'
import type { Lease } from '../limit/limits.ts'
import { callCaller } from '../retry/caller-errors.ts'
import { codeOf, type Connection } from './connection.ts'
import { openLink } from './handshake.ts'
import { planChannel } from './messages.ts'
import type { ConnectOptions } from './options.ts'
import { type ConnectionSettings, settingsOf } from './settings.ts'
import { finalErrorOf } from './reconnect.ts'
import { SocketConnection } from './socket-connection.ts'

export async function openChannel<Channel extends ChannelDescriptor>(
  core: ClientCore,
  channel: Channel,
  options: ConnectOptions<Channel>,
): Promise<Connection<Channel>> {
  const plan = planChannel(core, channel)
  const settings = settingsOf(core, channel, options as ConnectOptions<ChannelDescriptor>)
  let lease: Lease | undefined
  try {
    lease = await acquire(core, channel, settings)
    emit(core, { type: 'socket', channel: channel.id, state: 'connecting' })
    const link = await openLink(core, plan, settings, settings.signals).catch((error: unknown) => {
      // After an abort, `finalError` isn't called, because the error is the signal's reason.
      const isAborted = settings.signals.some(({ aborted }) => aborted)
      throw (isAborted ? undefined : finalErrorOf(error, settings.finalError)) ?? error
    })
    emit(core, { type: 'socket', channel: channel.id, state: 'open' })
    return new SocketConnection(core, plan, settings, { link, lease }) as unknown as Connection<Channel>
  } catch (error) {
    lease?.[Symbol.dispose]()
    emit(core, { type: 'socket', channel: channel.id, state: 'closed', failure: codeOf(error) })
    throw error
  }
}

/** Waits for a share of the connection limit, if there is a limit. @throws TimeoutError */
async function acquire(
  core: ClientCore,
  { id }: ChannelDescriptor,
  { connectionLimit, weight, connectionLimitTimeoutMs: limitMs, signals }: ConnectionSettings,
): Promise<Lease | undefined> {
  if (connectionLimit === undefined) return undefined
  if (connectionLimit.mayWait(weight)) emit(core, { type: 'socket', channel: id, state: 'waiting' })
  const work = async (signal: AbortSignal): Promise<Lease> => {
    const lease = await callCaller(() => connectionLimit.acquire(weight, [signal]), 'not-sent')
    // After an abort or a timeout, `bounded` doesn't return the lease, so only this code can dispose of it.
    if (signal.aborted) lease[Symbol.dispose]()
    else signal.addEventListener('abort', () => lease[Symbol.dispose]())
    return lease
  }
  return bounded(work, {
    signals,
    limit: {
      clock: core.clock,
      ms: limitMs,
      error: (elapsedMs) =>
        new TimeoutError(
          `${id}: the connection limit had no room for this connection within ${limitMs} ms (\`connectionLimitTimeoutMs\`). ` +
            'Close a connection, allow more connections, or raise `connectionLimitTimeoutMs`.',
          { limitMs, elapsedMs },
          { operation: id },
        ),
    },
  })
}
