import { createHash } from 'node:crypto'

import { OptionsError } from '@concord/runtime'

import { rows, type Session, transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { CostSum } from '../report/status.ts'
import { type FleetParts, ringing } from './parts.ts'
import type { CostEstimate, FleetService } from './service.ts'
import { ticketId } from './ticket-id.ts'

/** A batch that was enqueued. @public */
export interface EnqueuedBatch {
  /** The name of the batch. */
  readonly batch: string
  /** The number of requests in the batch. */
  readonly total: number
  /** The number of requests that this call added. Less than `total` if an earlier call had added some requests. */
  readonly added: number
}

/** The estimated cost of requests. @public */
export interface BatchEstimate {
  readonly requests: number
  /** The cost of sending each request once. */
  readonly cost: CostSum
}

interface BatchRow {
  readonly id: number
  readonly added: number
  readonly is_complete: boolean
  readonly digest: string
  readonly next_turn: number
}

/** A chunk is complete once it has this many requests, or its requests have this many characters. */
const CHUNK = { requests: 1_000, characters: 8_000_000 }

/**
 * Adds requests to the queue, in chunks. Each transaction adds the job rows and tickets (queue entries) of one chunk,
 * and records the batch's progress. If the process crashes, the same call in another process continues after the
 * chunks that were added.
 */
export async function enqueue(
  parts: FleetParts,
  target: {
    readonly name: string
    readonly service: FleetService<unknown, unknown>
    readonly batch: string
    readonly maxCost: number | undefined
    readonly deadlineMs: number | undefined
  },
  requests: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<EnqueuedBatch> {
  const { pool, schema } = parts
  const { name, service, batch, maxCost, deadlineMs = null } = target
  const preparing = prepare(service, requests)
  const prepared = maxCost === undefined ? preparing : await affordable(preparing, maxCost)
  await rows(
    pool,
    sql`insert into ${schema.table('fleet_batches')} (service, name) values (${name}, ${batch}) on conflict do nothing`,
  )
  let total = 0
  let added = 0
  let digest = ''
  let chunk: Prepared[] = []
  let characters = 0
  const flush = async (isLast: boolean): Promise<void> => {
    const start = total - chunk.length
    const before = digest
    for (const { text } of chunk) digest = createHash('sha256').update(digest).update(text).digest('base64')
    const part = { start, before, digest, isLast, deadlineMs, requests: chunk }
    added += await transaction(pool, (session) => addPart(parts, session, { service: name, batch }, part))
    chunk = []
    characters = 0
  }
  for await (const request of prepared) {
    chunk.push(request)
    total++
    characters += request.text.length
    if (chunk.length === CHUNK.requests || characters >= CHUNK.characters) await flush(false)
  }
  await flush(true)
  return { batch, total, added }
}

interface Prepared {
  readonly text: string
  readonly cost: CostEstimate
}

/** Checks and encodes requests. @throws OptionsError for a request that isn't plain data. */
async function* prepare(
  service: FleetService<unknown, unknown>,
  requests: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<Prepared, void> {
  let index = 0
  for await (const request of requests) {
    service.check(request)
    yield { text: encode(await service.encode(request), index++), cost: service.cost(request) }
  }
}

export async function estimate(
  service: FleetService<unknown, unknown>,
  requests: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<BatchEstimate> {
  let count = 0
  const cost = { min: 0, max: 0, unpriced: 0 }
  for await (const each of prepare(service, requests)) {
    count++
    addCost(cost, each.cost)
  }
  return { requests: count, cost }
}

function addCost(sum: { min: number; max: number; unpriced: number }, cost: CostEstimate): void {
  if (cost === 'unknown') {
    sum.unpriced++
    return
  }
  sum.min += cost.min
  sum.max += cost.max
}

/** Reads all requests. @throws OptionsError if they may cost more than `maxCost`, or if a price is unknown. */
async function affordable(prepared: AsyncIterable<Prepared>, maxCost: number): Promise<readonly Prepared[]> {
  const all: Prepared[] = []
  const sum = { min: 0, max: 0, unpriced: 0 }
  for await (const each of prepared) {
    all.push(each)
    addCost(sum, each.cost)
  }
  if (sum.max <= maxCost && sum.unpriced === 0) return all
  throw new OptionsError(
    'maxCost',
    sum.unpriced === 0
      ? `These requests can cost ${sum.max}, which is more than \`maxCost\`. Nothing was added.`
      : `The price of ${sum.unpriced} of these requests is unknown, so \`maxCost\` can't be enforced. Nothing was added.`,
    sum.unpriced === 0
      ? 'Raise `maxCost`, or enqueue fewer requests.'
      : 'Make the `cost` option of the service return an estimate for each request, or omit `maxCost`.',
  )
}

interface Part {
  readonly start: number
  readonly before: string
  readonly digest: string
  readonly isLast: boolean
  readonly deadlineMs: number | null
  readonly requests: readonly Prepared[]
}

async function addPart(
  { schema, journal, tickets, channel }: FleetParts,
  session: Session,
  { service, batch }: { readonly service: string; readonly batch: string },
  { start, before, digest, isLast, deadlineMs, requests }: Part,
): Promise<number> {
  const batches = schema.table('fleet_batches')
  const [row] = await session.rows<BatchRow>(
    sql`select id, added, is_complete, digest, next_turn from ${batches} where service = ${service} and name = ${batch} for update`,
  )
  const end = start + requests.length
  if (row === undefined)
    throw new TypeError(`The batch ${JSON.stringify(batch)} was deleted while requests were being added.`)
  if (row.added >= end && (end < row.added || row.digest === digest)) {
    // An earlier call added the batch's requests up to `end` or beyond. A digest covers all requests from the start
    // of the batch. So the two digests can be compared only if `end` equals `row.added`.
    if (isLast && row.added > end) throw anotherBatch(batch)
    if (isLast && !row.is_complete)
      await session.rows(sql`update ${batches} set is_complete = true where id = ${row.id}`)
    return 0
  }
  if (row.added !== start || row.digest !== before || row.is_complete) throw anotherBatch(batch)
  const [state] = await session.rows<{ virtual_turn: number }>(
    sql`select virtual_turn from ${schema.table('fleet_services')} where service = ${service}`,
  )
  // Workers take the tickets with the lowest turn numbers first. The tickets of a batch get consecutive numbers. A
  // new batch starts at the highest number that a worker has taken, so that workers alternate between batches.
  const turn = Math.max(row.next_turn, state?.virtual_turn ?? 0)
  const added = requests.map((_, index) => ({
    id: ticketId(),
    batch: row.id,
    position: start + index,
    turn: turn + index,
  }))
  const costs = requests.map(({ cost }) =>
    cost === 'unknown' ? undefined : { min: String(cost.min), max: String(cost.max) },
  )
  await session.rows(sql`
    insert into ${schema.table('fleet_jobs')} (
      batch, position, service, phase, ticket, deadline_at, cost_min, cost_max, request)
    select ${row.id}::int, ${start}::int + k.at::int - 1, ${service}, 'queued', k.ticket,
      ${journal.now} + interval '1 millisecond' * ${deadlineMs}::float8,
      k.min, k.max, k.request::json
    from unnest(${added.map(({ id }) => id)}::uuid[], ${costs.map((cost) => cost?.min ?? null)}::text[]::float8[],
      ${costs.map((cost) => cost?.max ?? null)}::text[]::float8[], ${requests.map(({ text }) => text)}::text[])
      with ordinality as k(ticket, min, max, request, at)`)
  await tickets.add(session, service, 'submit', added)
  await session.rows(sql`
    update ${batches} set added = ${end}, digest = ${digest}, is_complete = ${isLast}, next_turn = ${turn + requests.length}
    where id = ${row.id}`)
  await session.rows(ringing(channel, 'submit', service))
  return requests.length
}

function anotherBatch(batch: string): OptionsError {
  return new OptionsError(
    'batch',
    `The batch ${JSON.stringify(batch)} already exists with other requests. Nothing was added.`,
    'Pass another name for the batch, or the same requests in the same order.',
  )
}

function encode(request: unknown, index: number): string {
  checkPlain(request, `requests[${index}]`)
  return JSON.stringify(request) ?? 'null'
}

function checkPlain(value: unknown, path: string): void {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (typeof value === 'object') {
    // Objects with `toJSON` are accepted, except a Buffer, which would be stored as an array of numbers.
    if ('toJSON' in value && typeof value.toJSON === 'function' && !ArrayBuffer.isView(value)) return
    if (Array.isArray(value)) return value.forEach((each, index) => checkPlain(each, `${path}[${index}]`))
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype === null || Object.getPrototypeOf(prototype) === null) {
      for (const [name, each] of Object.entries(value)) checkPlain(each, `${path}.${name}`)
      return
    }
  }
  throw new OptionsError(
    'requests',
    `\`${path}\` is not plain data, so another process could not send it.`,
    'Pass strings, finite numbers, arrays and plain objects. Pass files as URLs, or as paths that all workers can read.',
  )
}
