import { OptionsError } from '@concord/runtime'

import type { CreditEstimate } from '../credits.ts'
import { bodyCredits } from '../preparation.ts'
import {
  decodeRequest,
  JOURNAL_VERSION,
  type BatchRecord,
  type ReplacedTask,
  type BatchRequest,
  type StoredFile,
} from './journal.ts'
import type { BatchCredits } from './options.ts'

/**
 * The phase of one request:
 *
 * - `open`: the request may be submitted. No submission is in progress.
 * - `sending`: the intent to submit is recorded, but no response. After a crash, it is unknown whether the service
 *   accepted the submission.
 * - `accepted`: the id of the request's task is known.
 * - `uncertain`, `denied`, `succeeded`, `failed`: final. The request is not sent again.
 */
type Phase = 'open' | 'sending' | 'accepted' | 'uncertain' | 'denied' | 'succeeded' | 'failed'

/** The state of one request. Only {@link BatchState.apply} changes it. */
export interface ItemState {
  phase: Phase
  /** How many submissions got a 502, 503 or 504 since the last regeneration. */
  repeats: number
  /** How many submissions may have been accepted although no task id was received. */
  unknown: number
  /** The fields that `regenerate.changePrompt` changed. */
  changes: Readonly<Record<string, unknown>>
  taskId: string | undefined
  replaced: readonly ReplacedTask[]
  /** The cost of submitting the request once, with its `changes`. */
  price: CreditEstimate
  sentAtMs: number | undefined
  status: number | undefined
  reason: string | undefined
  files: readonly StoredFile[]
  failure: string | undefined
  cancelled: boolean
  throttledMs: number
  reported: boolean
}

/** The state of a batch, computed from its records. */
export class BatchState {
  readonly requests: BatchRequest[] = []
  readonly items: ItemState[] = []
  /** The number of requests. `undefined` until all of them are recorded. */
  total: number | undefined = undefined
  readonly credits = { min: 0, max: 0, unpriced: 0 }

  /** @throws OptionsError if a newer version of the package wrote a record, or if the records don't form a batch. */
  static from(records: readonly unknown[]): BatchState {
    const state = new BatchState()
    for (const [at, record] of records.entries()) {
      try {
        if (typeof (record as Partial<BatchRecord> | null)?.type !== 'string')
          throw new Misfit('is not a record of a batch')
        state.apply(record as BatchRecord)
      } catch (error) {
        if (OptionsError.is(error)) throw error
        throw unreadable(at, error)
      }
    }
    return state
  }

  apply(record: BatchRecord): void {
    switch (record.type) {
      case 'request':
        if (this.total !== undefined) throw new Misfit('adds a request to a complete batch')
        if (record.index !== this.requests.length)
          throw new Misfit(
            `adds requests[${record.index}], although requests[${this.requests.length}] is next`,
          )
        this.add(decodeRequest(record.request))
        return
      case 'batch':
        if (record.version > JOURNAL_VERSION) throw newer()
        if (this.total !== undefined) throw new Misfit('completes the batch for the second time')
        if (record.total !== this.requests.length)
          throw new Misfit(
            `says that the batch has ${record.total} requests, but the journal contains ${this.requests.length}`,
          )
        this.total = record.total
        return
      case 'intent':
        return this.#intent(record)
      case 'answer':
        return this.#answer(record)
      case 'abandoned':
        return this.#abandon(record)
      case 'succeeded':
      case 'failed':
        return this.#end(record)
      case 'reported':
        return this.#report(record.index)
      default:
        throw newer()
    }
  }

  add(request: BatchRequest): void {
    this.requests.push(request)
    this.items.push({
      phase: 'open',
      repeats: 0,
      unknown: 0,
      changes: {},
      taskId: undefined,
      replaced: [],
      price: priceOf(request),
      sentAtMs: undefined,
      status: undefined,
      reason: undefined,
      files: [],
      failure: undefined,
      cancelled: false,
      throttledMs: 0,
      reported: false,
    })
  }

  item(index: number): ItemState {
    const item = this.items[index]
    if (item === undefined) throw new Misfit(`is about requests[${index}], which is not recorded`)
    return item
  }

  priceWith(index: number, changes: Readonly<Record<string, unknown>>): CreditEstimate {
    return priceOf(this.requests[index], { ...this.item(index).changes, ...changes })
  }

  creditsSoFar(): BatchCredits {
    return { ...this.credits }
  }

  #intent({ index, atMs, replaces, changes }: Extract<BatchRecord, { type: 'intent' }>): void {
    const item = this.item(index)
    const isNext =
      replaces === undefined
        ? item.phase === 'open'
        : item.phase === 'accepted' && item.taskId === replaces.id
    if (!isNext) throw misfit('submits', index, item)
    item.phase = 'sending'
    item.sentAtMs = atMs
    if (replaces !== undefined) {
      item.replaced = [...item.replaced, replaces]
      item.throttledMs += replaces.throttledMs
      item.repeats = 0
      item.taskId = undefined
    }
    item.changes = { ...item.changes, ...changes }
    item.price = this.priceWith(index, {})
    // Add the maximum price, because the service may accept the submission.
    this.#charge(item.price, 'max', 1)
  }

  #answer({ index, outcome, taskId, status, reason }: Extract<BatchRecord, { type: 'answer' }>): void {
    const item = this.item(index)
    if (item.phase !== 'sending') throw misfit('contains a response to', index, item)
    item.status = status
    item.reason = reason
    switch (outcome) {
      case 'accepted':
        item.phase = 'accepted'
        item.taskId = taskId
        this.#charge(item.price, 'min', 1)
        return
      case 'repeat':
        item.phase = 'open'
        item.repeats++
        item.unknown++
        return
      case 'uncertain':
        item.phase = 'uncertain'
        item.unknown++
        return
      case 'dropped':
      case 'denied':
        this.#charge(item.price, 'max', -1)
        if (outcome === 'dropped') item.phase = 'open'
        else item.phase = item.unknown > 0 ? 'uncertain' : 'denied'
        return
      default:
        throw newer()
    }
  }

  #abandon({ index, reason }: Extract<BatchRecord, { type: 'abandoned' }>): void {
    const item = this.item(index)
    if (item.phase !== 'open') throw misfit('abandons', index, item)
    item.phase = 'uncertain'
    item.reason = reason
  }

  #end(record: Extract<BatchRecord, { type: 'succeeded' | 'failed' }>): void {
    const item = this.item(record.index)
    if (item.phase !== 'accepted') throw misfit('ends', record.index, item)
    item.phase = record.type
    item.throttledMs += record.throttledMs
    if (record.type === 'succeeded') item.files = record.files
    else {
      item.failure = record.failure
      item.cancelled = record.cancelled
    }
  }

  #report(index: number): void {
    const item = this.item(index)
    if (item.phase === 'open' || item.phase === 'sending' || item.phase === 'accepted')
      throw misfit('reports the outcome of', index, item)
    item.reported = true
  }

  #charge(price: CreditEstimate, side: 'min' | 'max', sign: 1 | -1): void {
    if (price !== 'unknown') this.credits[side] += sign * price[side]
    // This method runs twice for an accepted submission (`max`, then `min`), but an unknown price counts only once.
    else if (side === 'max') this.credits.unpriced += sign
  }
}

/** Says why a record can't follow the earlier records. `unreadable` puts the record's number before the message. */
class Misfit extends TypeError {}

function misfit(verb: string, index: number, { phase }: ItemState): Misfit {
  return new Misfit(`${verb} requests[${index}], although that request is in the phase \`${phase}\``)
}

export function priceOf(
  item: BatchRequest | undefined,
  changes: Readonly<Record<string, unknown>> = {},
): CreditEstimate {
  const { request, credits } = (item ?? {}) as Partial<BatchRequest>
  if (credits !== undefined) return { min: credits.min, max: credits.max }
  return bodyCredits({ ...request, ...changes })
}

function newer(): OptionsError {
  return new OptionsError(
    'journal',
    '`journal` contains a record that this version of the package does not know.',
    'Upgrade the package to the version that last wrote to the journal. The journal was not changed.',
  )
}

function unreadable(at: number, cause: unknown): OptionsError {
  // An error that isn't a `Misfit` comes from the JavaScript engine, for example because a field is missing.
  const predicate = cause instanceof Misfit ? cause.message : 'lacks a field, or has an invalid one'
  return new OptionsError(
    'journal',
    `\`journal\` contains records that do not form a batch: record ${at + 1} ${predicate}.`,
    'Pass the journal of a batch. The journal was not changed. Do not resume from a backup: submissions that were ' +
      'sent after the backup would be sent again.',
    { cause },
  )
}
