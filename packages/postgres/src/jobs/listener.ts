import type { Clock } from '@concord/runtime'
import { wait } from '@concord/runtime/internal'

import { explainDatabaseError } from '../database/database-error.ts'
import { takeClient } from '../database/database.ts'
import { Identifier, sql } from '../database/sql.ts'
import type { PostgresClient, PostgresNotification, PostgresPool } from '../database/pool.ts'

/** The settings of a listener. */
export interface ListenerTools {
  readonly pool: PostgresPool
  readonly channel: string
  readonly clock: Clock
  readonly onMessage: (payload: string) => void
  /** Messages may have been missed. */
  readonly onConnected: () => void
  readonly onError: (error: unknown) => void
}

const DELAY_MS = { min: 200, max: 10_000 }

/** Listens to a channel on a connection of its own until the signal is aborted. A lost connection is replaced. It never rejects. */
export async function listen(tools: ListenerTools, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    let client: PostgresClient | undefined
    try {
      client = await takeClient(tools.pool, signal)
      const lost = follow(client, tools, signal)
      await client.query({ text: sql`listen ${new Identifier(tools.channel)}`.text, values: [] })
      failures = 0
      tools.onConnected()
      await lost
    } catch (error) {
      if (!signal.aborted) tools.onError(explainDatabaseError(error))
    } finally {
      // It listens, so no one else may have it.
      client?.release(true)
    }
    const delayMs = Math.min(DELAY_MS.max, DELAY_MS.min * 2 ** failures)
    await wait(tools.clock, delayMs, [signal]).catch(() => undefined)
  }
}

/** Resolves when the signal is aborted. @throws the error that ended the connection. */
function follow(
  client: PostgresClient,
  { channel, onMessage }: ListenerTools,
  signal: AbortSignal,
): Promise<void> {
  const followed = new Promise<void>((resolve, reject) => {
    client.on('error', reject)
    client.on('notification', (message: PostgresNotification) => {
      if (message.channel === channel) onMessage(message.payload ?? '')
    })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  // It may fail before someone waits for it.
  followed.catch(() => undefined)
  return followed
}
