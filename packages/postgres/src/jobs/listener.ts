import type { Clock } from '@concord/runtime'
import { type Retried, retry } from '@concord/runtime/internal'

import { explainDatabaseError } from '../database/database-error.ts'
import { takeClient } from '../database/database.ts'
import { Identifier, sql } from '../database/sql.ts'
import type { PostgresClient, PostgresNotification, PostgresPool } from '../database/pool.ts'

/** The settings of a listener. */
interface ListenerTools {
  readonly pool: PostgresPool
  readonly channel: string
  readonly clock: Clock
  readonly onMessage: (payload: string) => void
  /** Called when the connection is (re)established. Earlier messages may have been missed. */
  readonly onConnected: () => void
  readonly onError: (error: unknown) => void
}

const BACKOFF = { baseMs: 200, capMs: 10_000 }

/** Listens to a channel on its own connection until the signal is aborted. A lost connection is replaced. Never rejects. */
export async function listen(tools: ListenerTools, signal: AbortSignal): Promise<void> {
  const job: Retried<void> = {
    clock: tools.clock,
    random: () => 1,
    backoff: BACKOFF,
    signals: [signal],
    attempt: async () => {
      let client: PostgresClient | undefined
      try {
        client = await takeClient(tools.pool, signal)
        const lost = follow(client, tools, signal)
        await client.query({ text: sql`listen ${new Identifier(tools.channel)}`.text, values: [] })
        job.failures = 0
        tools.onConnected()
        await lost
      } finally {
        // The connection is listening, so it must not be reused.
        client?.release(true)
      }
    },
    again: (error) => {
      if (signal.aborted) return false
      tools.onError(explainDatabaseError(error))
      return true
    },
  }
  // Rejects only after the signal is aborted.
  await retry(job).catch(() => undefined)
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
  // The connection may fail before anything awaits this promise.
  followed.catch(() => undefined)
  return followed
}
