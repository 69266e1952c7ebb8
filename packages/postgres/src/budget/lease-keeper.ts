import { retry, type Timer } from '@concord/runtime/internal'

import { DatabaseError } from '../database/database-error.ts'
import { rows } from '../database/database.ts'
import { subscribe } from '../database/listener.ts'
import { sql } from '../database/sql.ts'
import type { LimitGuard } from './when-down.ts'

/** A lease request that is in the database: waiting or granted. */
interface Counted {
  /** The request's number in the database. It changes if the request has to be repeated while it waits. */
  ticket: string
  readonly weight: number
  readonly lost: AbortController
  /** The earliest time at which the request can expire in the database, on this process's monotonic clock. */
  validUntilMs: number
  /** Functions that settle the wait. `undefined` once the lease is granted. */
  waiting:
    | { readonly grant: (counted: Counted | undefined) => void; readonly fail: (error: unknown) => void }
    | undefined
}

/** The longest time between attempts after a failure. It can be shorter than the time between renewals. */
const RETRY_MS = 1000
/**
 * The maximum number of remembered grants for tickets that this process doesn't know yet. Grants arrive over another connection,
 * so a grant can be faster than the reply with its ticket.
 */
const MAX_EARLY = 1000

/** Requests, waits for, renews and releases the leases of one semaphore in this process. */
export class LeaseKeeper {
  readonly #guard: LimitGuard
  readonly #capacity: number
  readonly #termMs: number
  readonly #channel: string
  readonly #counted = new Map<string, Counted>()
  readonly #early = new Set<string>()
  readonly #releasing = new Set<Promise<void>>()
  #beat: Timer | undefined
  #unsubscribe: (() => void) | undefined
  #isBeating = false
  #beatsAgain = false

  constructor(guard: LimitGuard, capacity: number, termMs: number) {
    this.#guard = guard
    this.#capacity = capacity
    this.#termMs = termMs
    this.#channel = guard.schema.channel('leases')
  }

  /** @returns the granted request, or `undefined` if the database is unreachable and `whenDown` is `open`. */
  async request(weight: number, signals: readonly AbortSignal[]): Promise<Counted | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Counted | undefined>()
    const counted: Counted = {
      ticket: '',
      weight,
      lost: new AbortController(),
      validUntilMs: 0,
      waiting: { grant: resolve, fail: reject },
    }
    let asking: Promise<true> | undefined
    const leave = (): void => {
      counted.waiting = undefined
      this.release(counted)
    }
    let isCounted: true | undefined
    try {
      isCounted = await this.#guard.step(() => (asking = this.#ask(counted)), signals)
    } finally {
      // If the reply arrives after the caller has stopped waiting, nothing else would free the lease.
      if (isCounted === undefined) asking?.then(leave, () => undefined)
    }
    if (isCounted === undefined) return undefined
    const aborted = signals.find((signal) => signal.aborted)
    if (aborted !== undefined) {
      leave()
      throw aborted.reason
    }
    const onAbort = ({ target }: Event): void => {
      leave()
      reject((target as AbortSignal).reason as Error)
    }
    for (const signal of signals) signal.addEventListener('abort', onAbort)
    this.#watch()
    try {
      return await promise
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', onAbort)
      this.#watch()
    }
  }

  /** Frees a lease, or withdraws a request. Other processes see the change as soon as it is in the database. */
  release(counted: Counted): void {
    if (!this.#counted.delete(counted.ticket)) return
    this.#watch()
    const releasing = this.#giveSurely(counted).finally(() => this.#releasing.delete(releasing))
    this.#releasing.add(releasing)
  }

  /** Repeats the release until the lease would have expired anyway. Never rejects. */
  async #giveSurely({ ticket, validUntilMs }: Counted): Promise<void> {
    await retry({
      clock: this.#guard.clock,
      random: () => 1,
      backoff: { baseMs: 50, capMs: RETRY_MS },
      endsAtMs: validUntilMs,
      attempt: () => this.#guard.ask(() => this.#give(ticket)),
      again: () => true,
    }).catch(() => undefined)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#releasing)
  }

  /** Adds a request to the line, and grants it if there is room. */
  async #ask(counted: Counted): Promise<true> {
    const { pool, schema, name, clock } = this.#guard
    const beganMs = clock.monotonic()
    const [row] = await rows<{ ticket: string; is_granted: boolean }>(
      pool,
      sql`select ticket, is_granted from ${schema.table('request_lease')} (
        ${name}, ${this.#capacity}::numeric, ${counted.weight}::numeric,
        ${this.#termMs} * interval '1 millisecond', ${this.#channel})`,
    )
    counted.ticket = row!.ticket
    counted.validUntilMs = beganMs + this.#termMs
    this.#counted.set(counted.ticket, counted)
    if (row!.is_granted || this.#early.delete(counted.ticket)) this.#grant(counted)
    return true
  }

  #grant(counted: Counted): void {
    const { waiting } = counted
    counted.waiting = undefined
    waiting?.grant(counted)
  }

  async #give(ticket: string): Promise<void> {
    const { pool, schema, name } = this.#guard
    await rows(
      pool,
      sql`select ${schema.table('release_lease')} (
        ${ticket}::bigint, ${name}, ${this.#capacity}::numeric, ${this.#channel})`,
    )
  }

  /** Renews leases and requests while there are any. Once a request has had to wait, also listens for grants. */
  #watch(): void {
    if (this.#counted.size === 0) {
      this.#beat?.cancel()
      this.#beat = undefined
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
      this.#early.clear()
      return
    }
    if (this.#beat === undefined && !this.#isBeating) this.#beatIn(this.#termMs / 3)
    if (this.#unsubscribe !== undefined || this.#waiting().length === 0) return
    const { pool, clock } = this.#guard
    this.#unsubscribe = subscribe(
      { pool, clock, channel: this.#channel },
      {
        onMessage: (ticket) => this.#onGranted(ticket),
        // A grant may have been missed.
        onConnected: () => this.#beatIn(0),
        onError: (error) => {
          if (DatabaseError.is(error)) this.#guard.down(error)
        },
      },
    )
  }

  #waiting(): Counted[] {
    return [...this.#counted.values()].filter(({ waiting }) => waiting !== undefined)
  }

  #onGranted(ticket: string): void {
    const counted = this.#counted.get(ticket)
    if (counted !== undefined) return this.#grant(counted)
    this.#early.add(ticket)
    if (this.#early.size > MAX_EARLY) this.#early.delete(this.#early.values().next().value!)
  }

  #beatIn(delayMs: number): void {
    this.#beat?.cancel()
    this.#beat = this.#guard.clock.setTimer(() => void this.#onBeat(), Math.max(0, delayMs))
  }

  async #onBeat(): Promise<void> {
    this.#beat = undefined
    if (this.#isBeating) {
      this.#beatsAgain = true
      return
    }
    this.#isBeating = true
    let nextMs = this.#termMs / 3
    try {
      const expiresInMs = await this.#guard.ask(() => this.#renew())
      this.#guard.up()
      // A dead holder sends no notification, so check again when its lease expires.
      if (expiresInMs !== undefined) nextMs = Math.min(nextMs, expiresInMs + 1)
    } catch (error) {
      nextMs = Math.min(RETRY_MS, nextMs)
      if (DatabaseError.is(error)) nextMs = Math.min(nextMs, this.#endure(error))
    }
    this.#isBeating = false
    if (this.#counted.size > 0) this.#beatIn(this.#beatsAgain ? 0 : nextMs)
    this.#beatsAgain = false
  }

  /**
   * Renews the counted requests, and grants waiting ones.
   *
   * @returns the milliseconds until the next lease expires, or `undefined` if no request is waiting.
   */
  async #renew(): Promise<number | undefined> {
    const { pool, schema, name, clock } = this.#guard
    const beganMs = clock.monotonic()
    const known = [...this.#counted.values()]
    const tickets = known.map(({ ticket }) => ticket)
    const found = await rows<{ ticket: string; is_granted: boolean }>(
      pool,
      sql`select ticket, is_granted from ${schema.table('renew_leases')} (
        ${tickets}::bigint[], ${this.#termMs} * interval '1 millisecond', ${name}, ${this.#channel})`,
    )
    const renewed = new Map(found.map(({ ticket, is_granted }) => [ticket, is_granted]))
    for (const counted of known) {
      const isGranted = renewed.get(counted.ticket)
      // The request was released in the meantime.
      if (this.#counted.get(counted.ticket) !== counted) continue
      if (isGranted === undefined) await this.#onExpired(counted)
      else {
        counted.validUntilMs = beganMs + this.#termMs
        if (isGranted) this.#grant(counted)
      }
    }
    if (this.#waiting().length === 0) return undefined
    const [row] = await rows<{ expires_in_ms: number | null }>(
      pool,
      sql`select ${schema.table('serve_leases')} (${name}, ${this.#capacity}::numeric, ${this.#channel}) as expires_in_ms`,
    )
    return row?.expires_in_ms ?? undefined
  }

  /**
   * Handles a request that has expired in the database. A waiting request is repeated. A lease is lost, unless `whenDown` is
   * `open`.
   */
  async #onExpired(counted: Counted): Promise<void> {
    this.#counted.delete(counted.ticket)
    if (counted.waiting !== undefined) await this.#ask(counted)
    else if (this.#guard.whenDown === 'closed') counted.lost.abort(this.#lost())
  }

  /**
   * Handles an unreachable database. If `whenDown` is `closed`, leases that may have expired in the database are lost, and
   * waiting requests that may have expired there fail. If `whenDown` is `open`, waiting requests are let through.
   *
   * @returns the milliseconds until the next lease or request may expire.
   */
  #endure(error: DatabaseError): number {
    const { clock, whenDown } = this.#guard
    this.#guard.down(error)
    const nowMs = clock.monotonic()
    let nextMs = Infinity
    for (const counted of this.#counted.values()) {
      const { waiting } = counted
      if (whenDown === 'open') {
        if (waiting === undefined) continue
        this.#counted.delete(counted.ticket)
        counted.waiting = undefined
        waiting.grant(undefined)
      } else if (counted.validUntilMs > nowMs) nextMs = Math.min(nextMs, counted.validUntilMs - nowMs)
      else {
        this.#counted.delete(counted.ticket)
        if (waiting === undefined) counted.lost.abort(this.#lost(error))
        else waiting.fail(error)
      }
    }
    return nextMs
  }

  #lost(cause?: unknown): DatabaseError {
    const { name } = this.#guard
    return new DatabaseError(
      'lost',
      `A lease of the semaphore ${JSON.stringify(name)} was lost, because it was not renewed for ${this.#termMs / 1000} s. Others may hold its share now.`,
      {
        remedy:
          'Stop the work that the lease protects, or set `termMs` longer than the outages of the database.',
        cause,
      },
    )
  }
}
