import { retry, type Timer } from '@concord/runtime/internal'

import { DatabaseError } from '../database/database-error.ts'
import { rows } from '../database/database.ts'
import { subscribe } from '../database/listener.ts'
import { sql } from '../database/sql.ts'
import type { LimitGuard } from './when-down.ts'

/** A request for a lease. It is either waiting or granted. */
interface LeaseRequest {
  /** The request's number in the database. If a waiting request expires, it gets a new number. */
  ticket: string
  readonly weight: number
  readonly lost: AbortController
  /** The earliest time, on this process's monotonic clock, at which the request can expire in the database. */
  validUntilMs: number
  isReleased: boolean
  /** Functions that settle the wait. `undefined` once the wait has ended. */
  waiting:
    | {
        readonly grant: (request: LeaseRequest | undefined) => void
        readonly fail: (error: unknown) => void
      }
    | undefined
}

/** The maximum delay before a failed renewal or release is retried. */
const RETRY_MS = 1000
/**
 * The maximum size of `#early`, the granted tickets that this process doesn't know. Most belong to other processes.
 * But a notification uses a separate connection, so it can arrive before this process knows the ticket of its own
 * request.
 */
const MAX_EARLY = 1000

/** Manages this process's leases of one semaphore. */
export class LeaseKeeper {
  readonly #guard: LimitGuard
  readonly #capacity: number
  readonly #termMs: number
  readonly #channel: string
  readonly #requests = new Map<string, LeaseRequest>()
  readonly #early = new Set<string>()
  readonly #releasing = new Set<Promise<void>>()
  #renewal: Timer | undefined
  #unsubscribe: (() => void) | undefined
  #isRenewing = false
  #renewsAgain = false

  constructor(guard: LimitGuard, capacity: number, termMs: number) {
    this.#guard = guard
    this.#capacity = capacity
    this.#termMs = termMs
    this.#channel = guard.schema.channel('leases')
  }

  /** @returns the granted request, or `undefined` if the database is unreachable and `whenDown` is `open`. */
  async request(weight: number, signals: readonly AbortSignal[]): Promise<LeaseRequest | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<LeaseRequest | undefined>()
    const request: LeaseRequest = {
      ticket: '',
      weight,
      lost: new AbortController(),
      validUntilMs: 0,
      isReleased: false,
      waiting: { grant: resolve, fail: reject },
    }
    let asking: Promise<true> | undefined
    const leave = (): void => {
      request.waiting = undefined
      this.release(request)
    }
    let isEnqueued: true | undefined
    try {
      isEnqueued = await this.#guard.step(() => (asking = this.#enqueue(request)), signals)
    } finally {
      // If the database still enqueues the request after a failure or an abort, release it.
      if (isEnqueued === undefined) asking?.then(leave, () => undefined)
    }
    if (isEnqueued === undefined) return undefined
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

  /** Frees a lease, or withdraws a request. */
  release(request: LeaseRequest): void {
    request.isReleased = true
    if (!this.#requests.delete(request.ticket)) return
    this.#watch()
    const releasing = this.#releaseInDatabase(request).finally(() => this.#releasing.delete(releasing))
    this.#releasing.add(releasing)
  }

  /** Retries the release until it succeeds, or until the lease would have expired anyway. Never rejects. */
  async #releaseInDatabase({ ticket, validUntilMs }: LeaseRequest): Promise<void> {
    await retry({
      clock: this.#guard.clock,
      random: () => 1,
      backoff: { baseMs: 50, capMs: RETRY_MS },
      endsAtMs: validUntilMs,
      attempt: () => this.#guard.ask(() => this.#tryRelease(ticket)),
      again: () => true,
    }).catch(() => undefined)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#releasing)
  }

  /** Adds a request to the queue in the database, and grants it if there is room. */
  async #enqueue(request: LeaseRequest): Promise<true> {
    const { pool, schema, name, clock } = this.#guard
    const beganMs = clock.monotonic()
    const [row] = await rows<{ ticket: string; is_granted: boolean }>(
      pool,
      sql`select ticket, is_granted from ${schema.table('request_lease')} (
        ${name}, ${this.#capacity}::numeric, ${request.weight}::numeric,
        ${this.#termMs} * interval '1 millisecond', ${this.#channel})`,
    )
    this.#requests.delete(request.ticket)
    request.ticket = row!.ticket
    request.validUntilMs = beganMs + this.#termMs
    this.#requests.set(request.ticket, request)
    if (request.isReleased) this.release(request)
    else if (row!.is_granted || this.#early.delete(request.ticket)) this.#grant(request)
    return true
  }

  #grant(request: LeaseRequest): void {
    const { waiting } = request
    request.waiting = undefined
    waiting?.grant(request)
  }

  async #tryRelease(ticket: string): Promise<void> {
    const { pool, schema, name } = this.#guard
    await rows(
      pool,
      sql`select ${schema.table('release_lease')} (
        ${ticket}::bigint, ${name}, ${this.#capacity}::numeric, ${this.#channel})`,
    )
  }

  /**
   * Starts the regular renewal of this process's leases and requests. If a request is waiting, also starts to listen
   * for grants. Stops both when this process has no leases or requests.
   */
  #watch(): void {
    if (this.#requests.size === 0) {
      this.#renewal?.cancel()
      this.#renewal = undefined
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
      this.#early.clear()
      return
    }
    if (this.#renewal === undefined && !this.#isRenewing) this.#renewIn(this.#termMs / 3)
    if (this.#unsubscribe !== undefined || this.#waiting().length === 0) return
    const { pool, clock } = this.#guard
    this.#unsubscribe = subscribe(
      { pool, clock, channel: this.#channel },
      {
        onMessage: (ticket) => this.#onGranted(ticket),
        // Renewing also finds the grants that were sent while this process wasn't listening.
        onConnected: () => this.#renewIn(0),
        onError: (error) => {
          if (DatabaseError.is(error)) this.#guard.down(error)
        },
      },
    )
  }

  #waiting(): LeaseRequest[] {
    return [...this.#requests.values()].filter(({ waiting }) => waiting !== undefined)
  }

  #onGranted(ticket: string): void {
    const request = this.#requests.get(ticket)
    if (request !== undefined) return this.#grant(request)
    this.#early.add(ticket)
    if (this.#early.size > MAX_EARLY) this.#early.delete(this.#early.values().next().value!)
  }

  #renewIn(delayMs: number): void {
    this.#renewal?.cancel()
    this.#renewal = this.#guard.clock.setTimer(() => void this.#onRenewal(), Math.max(0, delayMs))
  }

  async #onRenewal(): Promise<void> {
    this.#renewal = undefined
    if (this.#isRenewing) {
      this.#renewsAgain = true
      return
    }
    this.#isRenewing = true
    let nextMs = this.#termMs / 3
    try {
      const expiresInMs = await this.#guard.ask(() => this.#renew())
      this.#guard.up()
      // A dead holder sends no notification, so check again when its lease expires.
      if (expiresInMs !== undefined) nextMs = Math.min(nextMs, expiresInMs + 1)
    } catch (error) {
      nextMs = Math.min(RETRY_MS, nextMs)
      if (DatabaseError.is(error)) nextMs = Math.min(nextMs, this.#onUnreachable(error))
    }
    this.#isRenewing = false
    if (this.#requests.size > 0) this.#renewIn(this.#renewsAgain ? 0 : nextMs)
    this.#renewsAgain = false
  }

  /**
   * Renews the leases and requests, and grants waiting requests.
   *
   * @returns the milliseconds until the next lease expires, or `undefined` if no request is waiting.
   */
  async #renew(): Promise<number | undefined> {
    const { pool, schema, name, clock } = this.#guard
    const beganMs = clock.monotonic()
    const known = [...this.#requests.values()]
    const tickets = known.map(({ ticket }) => ticket)
    const found = await rows<{ ticket: string; is_granted: boolean }>(
      pool,
      sql`select ticket, is_granted from ${schema.table('renew_leases')} (
        ${tickets}::bigint[], ${this.#termMs} * interval '1 millisecond', ${name}, ${this.#channel})`,
    )
    const renewed = new Map(found.map(({ ticket, is_granted }) => [ticket, is_granted]))
    for (const request of known) {
      const isGranted = renewed.get(request.ticket)
      // Skip a request that was released in the meantime.
      if (this.#requests.get(request.ticket) !== request) continue
      if (isGranted === undefined) await this.#onExpired(request)
      else {
        request.validUntilMs = beganMs + this.#termMs
        if (isGranted) this.#grant(request)
      }
    }
    if (this.#waiting().length === 0) return undefined
    const [row] = await rows<{ expires_in_ms: number | null }>(
      pool,
      sql`select ${schema.table('serve_leases')} (${name}, ${this.#capacity}::numeric, ${this.#channel}) as expires_in_ms`,
    )
    return row?.expires_in_ms ?? undefined
  }

  async #onExpired(request: LeaseRequest): Promise<void> {
    if (request.waiting !== undefined) {
      // If this fails, the request is still in `#requests`, so the next renewal tries again.
      await this.#enqueue(request)
      return
    }
    this.#requests.delete(request.ticket)
    if (this.#guard.whenDown === 'closed') request.lost.abort(this.#lost())
  }

  /**
   * Handles a database that can't be used. If `whenDown` is `closed`, ends each request that may have expired in the
   * database. If `whenDown` is `open`, ends all waiting requests: lets them through, or fails them after a mistake in
   * the setup, such as a missing permission.
   *
   * @returns the milliseconds until the next lease or request may expire.
   */
  #onUnreachable(error: DatabaseError): number {
    const { clock, whenDown } = this.#guard
    this.#guard.down(error)
    const nowMs = clock.monotonic()
    let nextMs = Infinity
    for (const request of this.#requests.values()) {
      const { waiting } = request
      if (whenDown === 'open') {
        if (waiting === undefined) continue
        this.#requests.delete(request.ticket)
        request.waiting = undefined
        if (this.#guard.mayPass(error)) waiting.grant(undefined)
        else waiting.fail(error)
      } else if (request.validUntilMs > nowMs) nextMs = Math.min(nextMs, request.validUntilMs - nowMs)
      else {
        this.#requests.delete(request.ticket)
        if (waiting === undefined) request.lost.abort(this.#lost(error))
        else waiting.fail(error)
      }
    }
    return nextMs
  }

  #lost(cause?: unknown): DatabaseError {
    const { name } = this.#guard
    return new DatabaseError(
      'lost',
      `A lease of the semaphore ${JSON.stringify(name)} was lost, because it was not renewed for ` +
        `${this.#termMs / 1000} s. Other holders may now use its share of the capacity.`,
      {
        remedy:
          'Stop the work that the lease protects. To keep leases during short database outages, set `termMs` to more than the usual length of an outage.',
        cause,
      },
    )
  }
}
