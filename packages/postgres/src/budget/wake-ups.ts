import type { Clock } from '@concord/runtime'

import type { PostgresPool } from '../database/pool.ts'
import { listen } from '../jobs/listener.ts'

/** A subscriber to a channel. */
interface Subscriber {
  readonly onMessage: (payload: string) => void
  /** Called when the connection is (re)established. Messages may have been missed. */
  readonly onConnected: () => void
  readonly onError: (error: unknown) => void
}

interface Channel {
  readonly subscribers: Set<Subscriber>
  readonly end: AbortController
  isConnected: boolean
}

const pools = new WeakMap<PostgresPool, Map<string, Channel>>()

/**
 * Subscribes to a channel of the database. All subscribers to a channel through the same pool share one connection.
 *
 * @returns a function that unsubscribes. The connection ends with the last subscriber.
 */
export function subscribe(
  {
    pool,
    channel: name,
    clock,
  }: { readonly pool: PostgresPool; readonly channel: string; readonly clock: Clock },
  subscriber: Subscriber,
): () => void {
  let channels = pools.get(pool)
  if (channels === undefined) pools.set(pool, (channels = new Map()))
  const channel = channels.get(name) ?? open(channels, { pool, name, clock })
  channel.subscribers.add(subscriber)
  if (channel.isConnected) subscriber.onConnected()
  return () => {
    channel.subscribers.delete(subscriber)
    if (channel.subscribers.size > 0 || channels.get(name) !== channel) return
    channels.delete(name)
    channel.end.abort()
  }
}

function open(
  channels: Map<string, Channel>,
  { pool, name, clock }: { readonly pool: PostgresPool; readonly name: string; readonly clock: Clock },
): Channel {
  const channel: Channel = { subscribers: new Set(), end: new AbortController(), isConnected: false }
  channels.set(name, channel)
  const each = (tell: (subscriber: Subscriber) => void): void => [...channel.subscribers].forEach(tell)
  void listen(
    {
      pool,
      channel: name,
      clock,
      onMessage: (payload) => each(({ onMessage }) => onMessage(payload)),
      onConnected: () => {
        channel.isConnected = true
        each(({ onConnected }) => onConnected())
      },
      onError: (error) => {
        channel.isConnected = false
        each(({ onError }) => onError(error))
      },
    },
    channel.end.signal,
  )
  return channel
}
