import { OptionsError, type Client } from '@concord/runtime'
import { checkOptionNames, clientRetry } from '@concord/runtime/internal'

import { Batch, type BatchTools } from './batch.ts'
import {
  encodeRequest,
  JOURNAL_VERSION,
  type BatchJournal,
  type BatchRecord,
  type BatchRequest,
  type OpenJournal,
} from './journal.ts'
import {
  checkBatch,
  checkJournal,
  RESUME_NAMES,
  type BatchEstimate,
  type BatchOptions,
  type BatchReport,
  type ResumeBatchOptions,
} from './options.ts'
import { BatchState, priceOf } from './state.ts'

/** Requests are appended to the journal in chunks. A chunk ends once it has this many characters. */
const CHUNK_CHARACTERS = 4_000_000

/** The parts of a client that its batches use. */
export interface BatchParts extends Omit<BatchTools, 'terms'> {
  readonly client: Client
}

export async function startBatch(
  parts: BatchParts,
  requests: readonly BatchRequest[],
  options: BatchOptions,
): Promise<BatchReport> {
  checkRequests(requests)
  return runBatch(parts, requests, options)
}

export async function resumeBatch(
  parts: BatchParts,
  journal: BatchJournal,
  options: ResumeBatchOptions,
): Promise<BatchReport> {
  checkJournal(journal)
  checkOptionNames(options, RESUME_NAMES, 'options')
  return runBatch(parts, undefined, { ...options, journal })
}

/** @param requests - `undefined` to use the requests in the journal. */
async function runBatch(
  { client, ...parts }: BatchParts,
  requests: readonly BatchRequest[] | undefined,
  options: BatchOptions,
): Promise<BatchReport> {
  const tools: BatchTools = { ...parts, terms: clientRetry(client, 'batch') }
  const settings = checkBatch(options, tools.terms.maxAttempts ?? 1)
  const { signal } = options
  signal?.throwIfAborted()
  const journal = await options.journal?.open({ signal })
  try {
    const state = BatchState.from(journal?.records ?? [])
    if (requests !== undefined) await begin(state, journal, requests, tools)
    else if (state.total === undefined) throw noBatch()
    return await new Batch(tools, { options, settings }, state, journal).run()
  } finally {
    await journal?.close()
  }
}

/** Estimates the cost of a batch, and finds invalid requests. Reads no inputs, and sends nothing. */
export async function estimateRequests(
  requests: readonly BatchRequest[],
  { prepare }: BatchParts,
): Promise<BatchEstimate> {
  checkRequests(requests)
  const credits = { min: 0, max: 0, unpriced: 0 }
  const invalid: { index: number; error: unknown }[] = []
  for (const [index, item] of requests.entries()) {
    try {
      await prepare(item, { signal: undefined, dry: true })
    } catch (error) {
      invalid.push({ index, error })
      continue
    }
    const price = priceOf(item)
    if (price === 'unknown') credits.unpriced++
    else {
      credits.min += price.min
      credits.max += price.max
    }
  }
  return { requests: requests.length, credits, invalid }
}

function checkRequests(requests: readonly BatchRequest[]): void {
  if (!Array.isArray(requests))
    throw new OptionsError('requests', '`requests` is not an array.', 'Pass an array of requests.')
  for (const [index, item] of requests.entries()) {
    const { credits } = (item ?? {}) as Partial<BatchRequest>
    if (credits === undefined) continue
    const { min = NaN, max = NaN } = (credits as Partial<typeof credits> | null) ?? {}
    if (Number.isFinite(min) && Number.isFinite(max) && min >= 0 && max >= min) continue
    throw new OptionsError(
      'requests',
      `\`requests[${index}].credits\` is not a valid range.`,
      'Pass { min, max } with finite numbers, where 0 <= min <= max.',
    )
  }
}

/**
 * Adds the requests to the state, and records them in the journal. Skips requests that the journal already contains.
 *
 * @throws OptionsError if the journal contains other requests, or if a request can't be stored in it.
 */
async function begin(
  state: BatchState,
  journal: OpenJournal | undefined,
  requests: readonly BatchRequest[],
  { terms }: BatchTools,
): Promise<void> {
  if (journal === undefined) {
    for (const request of requests) state.add(request)
    return
  }
  const encoded = requests.map((request, index) => JSON.stringify(encodeRequest(request, index)))
  for (const [index, known] of state.requests.slice(0, encoded.length).entries()) {
    if (JSON.stringify(encodeRequest(known, index)) !== encoded[index])
      throw anotherBatch(`its requests differ from yours, starting at requests[${index}]`)
  }
  const recorded = state.requests.length
  if (recorded > encoded.length || (state.total ?? encoded.length) < encoded.length)
    throw anotherBatch(`its number of requests is ${recorded}, but you passed ${encoded.length}`)
  if (state.total !== undefined) return
  // The batch is new, or an earlier process ended before it recorded all requests. Nothing has been sent yet.
  let chunk: BatchRecord[] = []
  let characters = 0
  for (let index = state.requests.length; index < encoded.length; index++) {
    const text = encoded[index] ?? 'null'
    chunk.push({ type: 'request', index, request: JSON.parse(text) as unknown })
    characters += text.length
    if (characters < CHUNK_CHARACTERS) continue
    await journal.append(chunk)
    chunk = []
    characters = 0
  }
  await journal.append([
    ...chunk,
    { type: 'batch', version: JOURNAL_VERSION, total: requests.length, atMs: terms.clock.now() },
  ])
  for (const request of requests.slice(state.requests.length)) state.add(request)
  state.total = requests.length
}

function anotherBatch(difference: string): OptionsError {
  return new OptionsError(
    'journal',
    `\`journal\` contains another batch: ${difference}. The journal was not changed.`,
    'Pass an empty journal for a new batch, or resume the other batch with media.resumeBatch(journal).',
  )
}

function noBatch(): OptionsError {
  return new OptionsError(
    'journal',
    '`journal` contains no complete batch: it is empty, or an earlier process ended before it recorded all ' +
      'requests. Nothing was sent, so there is nothing to resume.',
    'Start the batch with media.batch(requests, { journal }).',
  )
}
