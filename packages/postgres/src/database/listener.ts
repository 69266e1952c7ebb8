import type { Clock } from '@concord/runtime'
import { type Retried, retry } from '@concord/runtime/internal'

import { explainDatabaseError } from './database-error.ts'
import { takeClient } from './database.ts'
import { Identifier, sql } from './sql.ts'
import type { PostgresPool } from './pool.ts'

interface Place {
  readonly pool: PostgresPool
  readonly channel: string
  readonly clock: Clock
}

interface Listener {
  readonly onMessage: (payload: string) => void
  /** Called when the connection listens, and again after each reconnect. Earlier messages may have been missed. */
  readonly onConnected: () => void
  readonly onError: (error: unknown) => void
}

const BACKOFF = { baseMs: 200, capMs: 10_000 }

/** Listens to a channel on its own connection until the signal is aborted. Reconnects as necessary. Never rejects. */
export async function listen(
  { pool, channel, clock }: Place,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  const job: Retried<void> = {
    clock,
    random: () => 1,
    backoff: BACKOFF,
    signals: [signal],
    attempt: async () => {
      const client = await takeClient(pool, signal)
      try {
        const lost = new Promise<void>((resolve, reject) => {
          client.on('error', reject)
          client.on('notification', (message) => {
            if (message.channel === channel) listener.onMessage(message.payload ?? '')
          })
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
        // The connection may fail before anything awaits this promise.
        lost.catch(() => undefined)
        await client.query({ text: sql`listen ${new Identifier(channel)}`.text, values: [] })
        job.failures = 0
        listener.onConnected()
        await lost
      } finally {
        // The connection may still be listening, so it must not be reused.
        client.release(true)
      }
    },
    again: (error) => {
      if (signal.aborted) return false
      listener.onError(explainDatabaseError(error))
      return true
    },
  }
  // `retry` rejects only after the signal is aborted; ignore that error.
  await retry(job).catch(() => undefined)
}

interface SharedChannel {
  readonly listeners: Set<Listener>
  readonly end: AbortController
  isConnected: boolean
}

const pools = new WeakMap<PostgresPool, Map<string, SharedChannel>>()

/**
 * Listens to a channel. All listeners with the same pool and channel share one connection.
 *
 * @returns a function that removes the listener. The connection ends when the last listener is removed.
 */
export function subscribe(place: Place, listener: Listener): () => void {
  const { pool, channel: name } = place
  let channels = pools.get(pool)
  if (channels === undefined) pools.set(pool, (channels = new Map()))
  const channel = channels.get(name) ?? share(channels, place)
  channel.listeners.add(listener)
  if (channel.isConnected) listener.onConnected()
  return () => {
    channel.listeners.delete(listener)
    if (channel.listeners.size > 0 || channels.get(name) !== channel) return
    channels.delete(name)
    channel.end.abort()
  }
}

function share(channels: Map<string, SharedChannel>, place: Place): SharedChannel {
  const channel: SharedChannel = { listeners: new Set(), end: new AbortController(), isConnected: false }
  channels.set(place.channel, channel)
  const each = (tell: (listener: Listener) => void): void => [...channel.listeners].forEach(tell)
  const listener: Listener = {
    onMessage: (payload) => each(({ onMessage }) => onMessage(payload)),
    onConnected: () => {
      channel.isConnected = true
      each(({ onConnected }) => onConnected())
    },
    onError: (error) => {
      channel.isConnected = false
      each(({ onError }) => onError(error))
    },
  }
  void listen(place, listener, channel.end.signal)
  return channel
}
