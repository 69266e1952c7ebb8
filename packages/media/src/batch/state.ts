import { OptionsError } from '@concord/runtime'

import type { CreditEstimate } from '../credits.ts'
import { bodyCredits } from '../regenerate.ts'
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
 * Where one request is:
 *
 * - `open`: nothing is under way, and it may be submitted.
 * - `sending`: an intent is recorded, and no answer. After a crash nobody knows whether it was accepted.
 * - `accepted`: its task is known.
 * - `uncertain`, `denied`, `succeeded`, `failed`: final. Nothing is sent any more.
 */
export type Phase = 'open' | 'sending' | 'accepted' | 'uncertain' | 'denied' | 'succeeded' | 'failed'

/** What is known of one request. It is changed by {@link BatchState.apply} alone. */
export interface ItemState {
  phase: Phase
  /** How many submissions of the current task were answered with "repeat it". */
  repeats: number
  /** How many submissions may have been accepted without an id. */
  unknown: number
  /** What `changePrompt` changed. */
  changes: Readonly<Record<string, unknown>>
  taskId: string | undefined
  replaced: readonly ReplacedTask[]
  /** What one submission costs, with the changes. */
  price: CreditEstimate
  sentAtMs: number | undefined
  status: number | undefined
  reason: string | undefined
  files: readonly StoredFile[]
  failure: string | undefined
  cancelled: boolean
  throttledMs: number
  told: boolean
}

/** What is known of a batch: the sum of its records. */
export class BatchState {
  readonly requests: BatchRequest[] = []
  readonly items: ItemState[] = []
  /** Unknown until all requests are recorded. */
  total: number | undefined = undefined
  readonly credits = { min: 0, max: 0, unpriced: 0 }

  /** @throws OptionsError when a record is none of this version. */
  static from(records: readonly unknown[]): BatchState {
    const state = new BatchState()
    for (const record of records) {
      try {
        state.apply(record as BatchRecord)
      } catch (error) {
        if (OptionsError.is(error)) throw error
        throw unreadable(error)
      }
    }
    return state
  }

  /** Takes a record in, as it was written or as it was read. */
  apply(record: BatchRecord): void {
    switch (record.type) {
      case 'request':
        this.add(decodeRequest(record.request))
        return
      case 'batch':
        if (record.version > JOURNAL_VERSION) throw newer()
        this.total = record.total
        return
      case 'intent':
        return this.#intent(record)
      case 'answer':
        return this.#answer(record)
      case 'succeeded':
      case 'failed':
        return this.#end(record)
      case 'told':
        this.#item(record.index).told = true
        return
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
      told: false,
    })
  }

  /** What a submission with further changes would cost. */
  priceWith(index: number, changes: Readonly<Record<string, unknown>>): CreditEstimate {
    const request = this.requests[index]
    return request === undefined ? 'unknown' : priceOf(request, { ...this.#item(index).changes, ...changes })
  }

  snapshot(): BatchCredits {
    return { ...this.credits }
  }

  #intent({ index, atMs, replaces, changes }: Extract<BatchRecord, { type: 'intent' }>): void {
    const item = this.#item(index)
    item.phase = 'sending'
    item.sentAtMs = atMs
    if (replaces !== undefined) {
      item.replaced = [...item.replaced, replaces]
      item.throttledMs += replaces.throttledMs
      item.repeats = 0
      item.taskId = undefined
    }
    if (changes !== undefined) {
      item.changes = { ...item.changes, ...changes }
      item.price = this.priceWith(index, {})
    }
    // Until the answer is known, the most that it can cost counts.
    this.#charge(item.price, 'max', 1)
  }

  #answer({ index, outcome, taskId, status, reason }: Extract<BatchRecord, { type: 'answer' }>): void {
    const item = this.#item(index)
    if (item.phase !== 'sending') throw new TypeError(`an answer to request ${index}, which was not sent`)
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
        item.phase = outcome === 'denied' && item.unknown === 0 ? 'denied' : 'open'
        return
      default:
        throw newer()
    }
  }

  #end(record: Extract<BatchRecord, { type: 'succeeded' | 'failed' }>): void {
    const item = this.#item(record.index)
    item.phase = record.type
    item.throttledMs += record.throttledMs
    if (record.type === 'succeeded') item.files = record.files
    else {
      item.failure = record.failure
      item.cancelled = record.cancelled
    }
  }

  #charge(price: CreditEstimate, end: 'min' | 'max', sign: 1 | -1): void {
    if (price !== 'unknown') this.credits[end] += sign * price[end]
    // Counted once, when it is sent.
    else if (end === 'max') this.credits.unpriced += sign
  }

  #item(index: number): ItemState {
    const item = this.items[index]
    if (item === undefined) throw new TypeError(`no request ${index}`)
    return item
  }
}

/** What one submission of a request costs. */
export function priceOf(
  item: BatchRequest | undefined,
  changes: Readonly<Record<string, unknown>> = {},
): CreditEstimate {
  const { request, credits } = (item ?? {}) as Partial<BatchRequest>
  if (credits !== undefined) return { min: credits.min, max: credits.max }
  if (typeof request !== 'object' || request === null) return 'unknown'
  return bodyCredits({ ...request, ...changes })
}

function newer(): OptionsError {
  return new OptionsError(
    'journal',
    '`journal` holds a record that this version of the package does not know.',
    'Upgrade the package, or resume the batch with the version that began it. The journal was not changed.',
  )
}

function unreadable(cause: unknown): OptionsError {
  return new OptionsError(
    'journal',
    `\`journal\` holds records that do not form a batch (${cause instanceof Error ? cause.message : String(cause)}).`,
    'Pass the journal of a batch. It was not changed.',
    { cause },
  )
}
