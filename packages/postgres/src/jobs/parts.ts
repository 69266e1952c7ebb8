import type { Clock } from '@concord/runtime'

import type { Session } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { type Schema, sql, type Statement } from '../database/sql.ts'
import type { Journal } from './journal.ts'
import type { JobKey } from './model.ts'
import type { FleetService } from './service.ts'
import { ticketId } from './ticket-id.ts'
import { type Step, stepOf, type Tickets } from './tickets.ts'

/** The objects that a fleet's methods and workers share. */
export interface FleetParts {
  readonly pool: PostgresPool
  readonly schema: Schema
  readonly journal: Journal
  readonly tickets: Tickets
  readonly clock: Clock
  readonly channel: string
}

/** The objects that a worker's steps for one service share. */
export interface ServiceParts extends FleetParts {
  readonly name: string
  readonly service: FleetService<unknown, unknown>
  readonly onError: (error: unknown) => void
  worker(): number
}

/** Returns a statement that wakes a step's loop in every worker, as soon as the transaction is committed. */
export function ringing(channel: string, step: Step | 'wait', service: string): Statement {
  return sql`select pg_notify(${channel}, ${`${step} ${service}`})`
}

/** Sets the phase of jobs that this transaction has locked, and adds new tickets for them. */
export async function requeue(
  session: Session,
  { journal, tickets }: Pick<FleetParts, 'journal' | 'tickets'>,
  service: string,
  { jobs, phase }: { readonly jobs: readonly JobKey[]; readonly phase: 'queued' | 'storing' },
): Promise<void> {
  if (jobs.length === 0) return
  const fresh = jobs.map(({ batch, position }) => ({ id: ticketId(), batch, position }))
  await journal.retarget(session, fresh, phase)
  await tickets.add(session, service, stepOf(phase), fresh)
}
