import { rows } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { type Schema, sql } from '../database/sql.ts'
import { PHASES, type JobPhase } from '../jobs/model.ts'

/** The state of a fleet at one moment. @public */
export interface FleetStatus {
  readonly schema: string
  /** When the state was read, in milliseconds since the Unix epoch, by the database's clock. */
  readonly atMs: number
  readonly batches: readonly BatchStatus[]
  readonly services: readonly ServiceStatus[]
  readonly workers: readonly WorkerStatus[]
  /**
   * Jobs that need a person's attention: at most 100 of each phase. Within a phase, the jobs that have not changed
   * for the longest time come first. Uncertain jobs come before all others.
   */
  readonly attention: readonly JobStatus[]
  /**
   * Work that the service accepted, but that workers no longer wait for. For example, the job was submitted again, or
   * was canceled although the service can't cancel work. The list has at most 100 entries, oldest first.
   */
  readonly orphans: readonly { readonly job: string; readonly id: string }[]
}

/** The progress of one batch. @public */
export interface BatchStatus {
  readonly service: string
  readonly batch: string
  /** Whether all requests of the batch are enqueued. */
  readonly isComplete: boolean
  readonly total: number
  readonly phases: Readonly<Record<JobPhase, number>>
  /** The number of jobs that workers have yet to cancel. */
  readonly canceling: number
  /**
   * The average number of results stored per minute, over the last five minutes. If the batch is newer, the average
   * is over the time since its creation.
   */
  readonly perMinute: number
  /** How long ago the batch's oldest waiting job was submitted, in milliseconds. */
  readonly oldestWaitMs?: number
  /** The estimated cost of all requests, and of the submitted requests. */
  readonly cost: { readonly all: CostSum; readonly submitted: CostSum }
}

/** A sum of estimates, in the service's own units, such as credits. @public */
export interface CostSum {
  readonly min: number
  readonly max: number
  /** The number of requests without an estimate. */
  readonly unpriced: number
}

/** The state of one service, as all workers see it. @public */
export interface ServiceStatus {
  readonly service: string
  /**
   * The remaining time of the pause, in milliseconds. During a pause, nothing is sent to the service. Absent if the
   * service isn't paused.
   */
  readonly pausedMs?: number
  readonly pauseReason?: string
}

/** A worker process of the fleet. @public */
export interface WorkerStatus {
  readonly name: string
  readonly startedMsAgo: number
  readonly seenMsAgo: number
  /** The number of jobs that the worker has ended. */
  readonly done: number
  /** The number of jobs that the worker is submitting or storing. If the worker dies, others take over these jobs. */
  readonly holds: number
}

/** A job that needs a person's attention. @public */
export interface JobStatus {
  /** The job's name for the command line, such as `media/boats/17`. */
  readonly job: string
  readonly phase: JobPhase
  /** The time since the job last changed, in milliseconds. */
  readonly sinceMs: number
  readonly reason?: string
  /** The service's id for the work, if known. */
  readonly id?: string
}

/** The jobs of one batch that have the same phase and the same `is_submitted`. */
interface PhaseRow {
  readonly service: string
  readonly batch: string
  readonly is_complete: boolean
  readonly phase: JobPhase | null
  readonly count: number
  readonly canceling: number
  readonly recent: number
  readonly recent_minutes: number
  readonly wait_ms: number | null
  readonly cost_min: number
  readonly cost_max: number
  readonly unpriced: number
  /** Whether the service may have charged for the jobs of this row. */
  readonly is_submitted: boolean | null
}

const RECENT_MINUTES = 5

/** Reads the state of a fleet. Each call reads the rows of all jobs. */
export async function readStatus(pool: PostgresPool, schema: Schema): Promise<FleetStatus> {
  const jobs = schema.table('fleet_jobs')
  const batches = schema.table('fleet_batches')
  const found = await rows<PhaseRow>(
    pool,
    sql`select b.service, b.name as batch, b.is_complete, j.phase, count(j.phase)::int as count,
        count(*) filter (where j.cancel_asked and j.phase in ('queued', 'submitting', 'waiting'))::int as canceling,
        count(*) filter (where j.phase = 'done' and j.changed_at > now() - interval '1 minute' * ${RECENT_MINUTES}::int)::int as recent,
        least(${RECENT_MINUTES}::float8, greatest(0.01, extract(epoch from now() - b.created_at)::float8 / 60)) as recent_minutes,
        1000 * extract(epoch from now() - min(j.submitted_at) filter (where j.phase = 'waiting'))::float8 as wait_ms,
        coalesce(sum(j.cost_min), 0) as cost_min, coalesce(sum(j.cost_max), 0) as cost_max,
        count(*) filter (where j.phase is not null and j.cost_max is null)::int as unpriced,
        j.phase <> all(array['queued', 'denied', 'cancelled', 'expired'])
          or (j.phase in ('cancelled', 'expired') and j.remote is not null) as is_submitted
      from ${batches} b left join ${jobs} j on j.batch = b.id
      group by b.id, j.phase, is_submitted order by b.id`,
  )
  const services = await rows<{ service: string; paused_ms: number | null; pause_reason: string | null }>(
    pool,
    sql`select service, 1000 * extract(epoch from paused_until - now())::float8 as paused_ms, pause_reason
      from ${schema.table('fleet_services')} order by 1`,
  )
  const workers = await rows<WorkerStatus>(
    pool,
    sql`select name, 1000 * extract(epoch from now() - started_at)::float8 as "startedMsAgo",
        1000 * extract(epoch from now() - seen_at)::float8 as "seenMsAgo", done,
        (select count(*)::int from ${jobs} where worker = w.id and phase in ('submitting', 'storing')) as holds
      from ${schema.table('fleet_workers')} w order by id`,
  )
  const [{ now }] = (await rows<{ now: number }>(
    pool,
    sql`select 1000 * extract(epoch from now())::float8 as now`,
  )) as [{ now: number }]
  return {
    schema: schema.name,
    atMs: now,
    batches: toBatches(found),
    services: services.map(({ service, paused_ms: pausedMs, pause_reason: pauseReason }) => ({
      service,
      ...(pausedMs !== null && pausedMs > 0 && pauseReason !== null && { pausedMs, pauseReason }),
    })),
    workers,
    attention: await readAttention(pool, schema),
    orphans: await rows(
      pool,
      sql`select b.service || '/' || b.name || '/' || o.position as job, o.remote as id
        from ${schema.table('fleet_orphans')} o join ${batches} b on b.id = o.batch order by o.found_at limit 100`,
    ),
  }
}

async function readAttention(pool: PostgresPool, schema: Schema): Promise<JobStatus[]> {
  const found = await rows<{
    job: string
    phase: JobPhase
    since_ms: number
    reason: string | null
    remote: string | null
  }>(
    pool,
    sql`select b.service || '/' || b.name || '/' || r.position as job, r.phase, r.reason, r.remote,
        1000 * extract(epoch from now() - r.changed_at)::float8 as since_ms
      from (
        select j.*, row_number() over (partition by phase order by changed_at, batch, position) as place
        from ${schema.table('fleet_jobs')} j where phase in ('uncertain', 'expired', 'failed', 'denied', 'unstored')
      ) r join ${schema.table('fleet_batches')} b on b.id = r.batch
      where r.place <= 100 order by r.phase <> 'uncertain', r.phase, r.place`,
  )
  return found.map(({ job, phase, since_ms: sinceMs, reason, remote }) => ({
    job,
    phase,
    sinceMs,
    ...(reason !== null && { reason }),
    ...(remote !== null && { id: remote }),
  }))
}

function toBatches(found: readonly PhaseRow[]): BatchStatus[] {
  const groups = Map.groupBy(found, ({ service, batch }) => `${service}/${batch}`)
  return [...groups.values()].map((group) => {
    const { service, batch, is_complete: isComplete } = group[0]!
    const oldest = Math.max(...group.map(({ wait_ms: waitMs }) => waitMs ?? -1))
    return {
      service,
      batch,
      isComplete,
      total: group.reduce((sum, { count }) => sum + count, 0),
      phases: Object.fromEntries(
        PHASES.map((phase) => [
          phase,
          group.reduce((sum, row) => sum + (row.phase === phase ? row.count : 0), 0),
        ]),
      ) as Record<JobPhase, number>,
      canceling: group.reduce((sum, { canceling }) => sum + canceling, 0),
      perMinute: group.reduce((sum, { recent }) => sum + recent, 0) / group[0]!.recent_minutes,
      ...(oldest >= 0 && { oldestWaitMs: oldest }),
      cost: {
        all: sumOf(group),
        submitted: sumOf(group.filter((row) => row.is_submitted)),
      },
    }
  })
}

function sumOf(group: readonly PhaseRow[]): CostSum {
  const add = (name: 'cost_min' | 'cost_max' | 'unpriced'): number =>
    group.reduce((sum, row) => sum + row[name], 0)
  return { min: add('cost_min'), max: add('cost_max'), unpriced: add('unpriced') }
}
