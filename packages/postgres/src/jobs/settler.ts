import { wait } from '@concord/runtime/internal'

import { type Session, transaction } from '../database/database.ts'
import type { JobChange, JobKey } from './model.ts'
import { ringing, type ServiceParts } from './parts.ts'
import { ticketId } from './ticket-id.ts'
import { stepOf } from './tickets.ts'

interface Pending {
  readonly change: JobChange
  readonly settled: (applied: boolean) => void
}

const GROUP = 500
const MAX_DELAY_MS = 15_000

/**
 * Writes a worker's changes. Changes that arrive while a transaction is in progress share the next transaction. If
 * the database is unreachable, the settler retries until the worker has been stopped and its `grace` period has
 * ended. It doesn't give up earlier, because only this process knows the ids of recently submitted work.
 */
export class Settler {
  readonly #parts: ServiceParts
  readonly #pending: Pending[] = []
  #flushing: Promise<void> | undefined
  readonly #end = new AbortController()

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  /** @returns true if the change was written. */
  add(change: JobChange): Promise<boolean> {
    const needsTicket = change.phase === 'queued' || change.phase === 'storing'
    return new Promise((settled) => {
      this.#pending.push({
        change: cleaned(needsTicket ? { newTicket: ticketId(), ...change } : change),
        settled,
      })
      this.#flushing ??= this.#flush()
    })
  }

  /** Waits until all changes are written or the signal is aborted. @returns the changes that weren't written. */
  async finish(signal: AbortSignal): Promise<readonly JobChange[]> {
    const stop = (): void => this.#end.abort()
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    while (this.#flushing !== undefined) await this.#flushing
    signal.removeEventListener('abort', stop)
    for (const { settled } of this.#pending) settled(false)
    return this.#pending.map(({ change }) => change)
  }

  async #flush(): Promise<void> {
    for (let failures = 0; this.#pending.length > 0;) {
      const group = nextGroup(this.#pending)
      try {
        const isRepeated = failures > 0
        const applied = await transaction(this.#parts.pool, (session) =>
          this.#write(session, group, isRepeated),
        )
        for (const each of group) this.#pending.splice(this.#pending.indexOf(each), 1)
        failures = 0
        for (const { change, settled } of group) settled(applied.has(keyOf(change)))
      } catch (error) {
        this.#parts.onError(error)
        failures++
        if (this.#end.signal.aborted) break
        const delayMs = Math.min(MAX_DELAY_MS, 50 * 2 ** failures)
        await wait(this.#parts.clock, delayMs, [this.#end.signal]).catch(() => undefined)
      }
    }
    // No change can be added between the loop's last check of `#pending` and this line, because both run in one tick.
    this.#flushing = undefined
  }

  /** @param isRepeated - Whether the previous attempt failed. That attempt may have been committed anyway. */
  async #write(
    session: Session,
    group: readonly Pending[],
    isRepeated: boolean,
  ): Promise<ReadonlySet<string>> {
    const { journal, tickets, name, service, channel, worker } = this.#parts
    const changes = group.map(({ change }) => change)
    const settled = await journal.settle(session, worker(), changes)
    const applied = new Set(settled.map(keyOf))
    const moved = changes.filter((change) => !applied.has(keyOf(change)))
    if (moved.some(({ remote }) => remote !== undefined)) await journal.orphans(session, moved)
    const written = changes.filter((change) => applied.has(keyOf(change)))
    const continuing = written.filter(({ mayContinue }) => mayContinue === true)
    if (continuing.length > 0) await journal.keepIds(session, continuing)
    for (const step of ['submit', 'store'] as const) {
      const used = written.filter(({ from }) => stepOf(from) === step)
      const usedIds = used.flatMap(({ ticket }) => ticket ?? [])
      await tickets.remove(session, name, step, usedIds)
      const added = written
        .filter(({ phase }) => stepOf(phase) === step)
        .flatMap(({ batch, position, newTicket: id, delayMs }) =>
          id === undefined ? [] : { id, batch, position, delayMs },
        )
      await tickets.add(session, name, step, added)
    }
    // Only jobs in the phases `submitting` and `waiting` count toward `limits.unfinished`. A job that leaves these
    // phases makes room for another job.
    const isLimited = service.limits.unfinished !== undefined
    if (isLimited && written.some(({ from, phase }) => from !== 'storing' && phase !== 'waiting'))
      await session.rows(ringing(channel, 'submit', name))
    const before = isRepeated ? await journal.inEffect(session, worker(), moved) : []
    return new Set([...applied, ...before.map(keyOf)])
  }
}

/**
 * Returns the oldest changes, at most one per job. Overlapping polls can cause two changes to the same job. In a
 * single transaction, only one of them would be written, but both would count as written.
 */
function nextGroup(pending: readonly Pending[]): readonly Pending[] {
  const group = new Map<string, Pending>()
  for (const each of pending) {
    const key = keyOf(each.change)
    if (!group.has(key)) group.set(key, each)
    if (group.size === GROUP) break
  }
  return [...group.values()]
}

const keyOf = ({ batch, position }: JobKey): string => `${batch}/${position}`

/**
 * Removes NUL characters and replaces lone surrogates. PostgreSQL can't store either, and the error would block the
 * other changes in the transaction.
 */
function cleaned(change: JobChange): JobChange {
  const entries = Object.entries(change).map(([name, value]) => [
    name,
    typeof value === 'string' && name !== 'stored' ? value.replaceAll('\0', '').toWellFormed() : value,
  ])
  return Object.fromEntries(entries) as JobChange
}
