import { OptionsError } from '@concord/runtime'

import type { CreditRange } from '../credits.ts'
import {
  audio,
  file,
  image,
  isContent,
  isFile,
  isSource,
  video,
  type MediaSource,
  type PlainInput,
} from '../inputs.ts'
import type { GenerationName, GenerationRequest } from '../requests.ts'

/**
 * Stores the steps of a batch, so that the batch can be resumed after its process has ended. `fileJournal` from
 * `@concord/media/node` keeps a journal in a file. You can also implement this interface yourself, for example with
 * a database table. Each record is a JSON value. Records contain the requests, but not the client's secret.
 *
 * @public
 */
export interface BatchJournal {
  /** Opens the journal for one batch. Until the journal is closed, keep other processes from opening it. */
  open(options: { readonly signal?: AbortSignal | undefined }): Promise<OpenJournal>
}

/** A journal that is open. @public */
export interface OpenJournal {
  /** All records that were appended before the journal was opened, in order. */
  readonly records: readonly unknown[]
  /**
   * Appends records. The promise must not resolve before the records are durable. As soon as it resolves, the batch
   * acts on the records, for example by sending a request that costs money. Calls can overlap: store their records in
   * the order of the calls. If a call rejects, the batch ends.
   */
  append(records: readonly BatchRecord[]): Promise<void>
  /** Waits for appends in progress, and then lets other processes open the journal. */
  close(): Promise<void>
}

/** A record in a journal. Store it without interpreting it, because its fields can change between versions. @public */
export type BatchRecord =
  | { readonly type: 'request'; readonly index: number; readonly request: unknown }
  /** All requests are recorded. */
  | { readonly type: 'batch'; readonly version: number; readonly total: number; readonly atMs: number }
  /** A submission is about to be sent. */
  | {
      readonly type: 'intent'
      readonly index: number
      readonly atMs: number
      /** The failed task that this submission replaces. */
      readonly replaces?: ReplacedTask
      /** The fields that `regenerate.changePrompt` changed. */
      readonly changes?: Readonly<Record<string, unknown>>
    }
  | SubmissionResponse
  /** A submission may have been accepted, and the batch ended before repeating it. The request is reported as `uncertain`. */
  | { readonly type: 'abandoned'; readonly index: number; readonly reason: string }
  /** The task has succeeded, and its outputs are stored. */
  | {
      readonly type: 'succeeded'
      readonly index: number
      readonly files: readonly StoredFile[]
      readonly throttledMs: number
    }
  | {
      readonly type: 'failed'
      readonly index: number
      readonly failure: string
      readonly cancelled: boolean
      readonly throttledMs: number
    }
  /** `onOutcome` has returned. */
  | { readonly type: 'reported'; readonly index: number }

/** One request of a batch. @public */
export type BatchRequest = {
  [Name in GenerationName]: {
    readonly operation: Name
    readonly request: GenerationRequest<Name>
    /**
     * The cost of one submission, used instead of this package's estimate. If you set `maxCredits`, pass `credits`
     * for each request that `estimateBatch` counts as `unpriced`.
     */
    readonly credits?: CreditRange
  }
}[GenerationName]

/** A file that contains a stored output. @public */
export interface StoredFile {
  readonly path: string
  readonly sizeBytes: number
  readonly contentType?: string
}

/** A failed task that is replaced by another submission. @public */
export interface ReplacedTask {
  readonly id: string
  readonly failure: string
  readonly throttledMs: number
}

/** The result of a submission. @public */
export interface SubmissionResponse {
  readonly type: 'answer'
  readonly index: number
  /**
   * - `accepted`: the service accepted the submission. `taskId` is the id of the task.
   * - `repeat`: the response was 502, 503 or 504. The service may have accepted the submission, but its documentation
   *   says to repeat it.
   * - `dropped`: the service certainly didn't accept the submission, and the request can be sent again.
   * - `denied`: the service will never accept this request.
   * - `uncertain`: the service may have accepted the submission, and the request is not sent again.
   *
   * These values describe one submission. The batch reports the whole request as `denied` if its last submission was
   * `denied`, or was `dropped` with a `status`. But if an earlier submission may have been accepted, the batch
   * reports the request as `uncertain`.
   */
  readonly outcome: 'accepted' | 'repeat' | 'dropped' | 'denied' | 'uncertain'
  readonly taskId?: string
  readonly status?: number
  /** The human-readable reason. */
  readonly reason?: string
}

export const JOURNAL_VERSION = 1

/** Turns a request into data that JSON can represent. @throws OptionsError if a value in the request can't be stored. */
export function encodeRequest(item: BatchRequest, index?: number): unknown {
  const { operation, request, credits } = (item ?? {}) as Partial<BatchRequest>
  return {
    operation,
    request: encode(request, index === undefined ? 'request' : `requests[${index}].request`),
    ...(credits === undefined ? {} : { credits: { min: credits.min, max: credits.max } }),
  }
}

export function decodeRequest(value: unknown): BatchRequest {
  const { operation, request, credits } = value as {
    readonly operation: GenerationName
    readonly request: unknown
    readonly credits?: CreditRange
  }
  return {
    operation,
    request: decode(request) as GenerationRequest,
    ...(credits === undefined ? {} : { credits }),
  } as BatchRequest
}

/** The name of the field that marks an encoded input, such as a file. */
const MARK = '$concord'

function encode(value: unknown, path: string): unknown {
  if (isSource(value)) return { [MARK]: value.kind, input: encode(value.input, path) }
  if (isFile(value)) return { [MARK]: 'file', input: value.path }
  if (isContent(value)) {
    throw new OptionsError(
      'requests',
      `\`${path}\` is bytes, a Blob or a stream, which a journal or a queue can't store.`,
      'Write the content to a file and pass file(path), or pass a URL.',
    )
  }
  if (typeof value !== 'object' || value === null) return checkScalar(value, path)
  if ('toJSON' in value && typeof value.toJSON === 'function') return encode(value.toJSON(), path)
  if (Array.isArray(value)) return value.map((item, at) => encode(item, `${path}[${at}]`))
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.map(([name, item]) => [escaped(name), encode(item, `${path}.${name}`)]))
}

function checkScalar(value: unknown, path: string): unknown {
  const fits =
    value === null ||
    value === undefined ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value)
  if (fits) return value
  throw new OptionsError(
    'requests',
    `\`${path}\` is a ${typeof value} that JSON can't represent, so it can't be stored.`,
    'Pass a string, a finite number, true, false, null, or an array or object of these.',
  )
}

const SOURCES: Readonly<Record<string, (input: PlainInput) => MediaSource>> = { image, video, audio }

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(decode)
  const { [MARK]: kind, input } = value as Record<string, unknown>
  if (kind === 'file') return file(String(input))
  if (typeof kind === 'string') return SOURCES[kind]?.(decode(input) as PlainInput)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [unescaped(name), decode(item)]))
}

/** Adds a `$` to the name of a caller's field that could be confused with `MARK`. */
function escaped(name: string): string {
  return /^\$+concord$/.test(name) ? `$${name}` : name
}

function unescaped(name: string): string {
  return /^\$\$+concord$/.test(name) ? name.slice(1) : name
}
