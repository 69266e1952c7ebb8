import {
  ContractDriftError,
  type Issue,
  OptionsError,
  type OperationHandle,
  type StandardSchema,
} from '@concord/runtime'
import { checkOptionNames, type OptionNames } from '@concord/runtime/internal'
import type { Job, Result } from '@concord/extraction-validators'

import type { OpenFields } from './fields.ts'

/**
 * The id of a document's job. Any string is accepted, but passing an `OptimizationId` (the id of an optimization run)
 * is a type error: both ids are called `job_id` on the wire, so they are easily confused.
 *
 * @public
 */
export type JobId = string & { readonly __idOf?: 'job' }

/** A handle for the job of a submitted document. @public */
export interface JobHandle<Fields = OpenFields> extends OperationHandle<Job, CompletedJob<Fields>> {
  readonly id: JobId
}

/**
 * A completed job: what `getJob` returned, with typed fields and a method to read the full text. The handle's `snapshot` is
 * the job exactly as it was received.
 *
 * @public
 */
export interface CompletedJob<Fields = OpenFields> extends Omit<
  Job,
  'status' | 'result' | 'created_at' | 'completed_at'
> {
  readonly status: 'completed'
  /** When the job was created. The client's `validate` option decides what happens if this field is missing. */
  readonly created_at: string
  /** When the job completed. The client's `validate` option decides what happens if this field is missing. */
  readonly completed_at: string
  readonly result: Omit<Result, 'data'> & {
    /** Present only if `schema` or `blueprint_id` was submitted. */
    readonly data?: Fields
  }
  /**
   * Returns the full text in Markdown. If the service sent a `text_url`, the text is fetched from that URL.
   * Otherwise, the text is `result.text`. The API key is sent to `text_url` only if `withKey` is set.
   *
   * @throws DownloadError if the link has expired or the text is larger than `maxBytes`.
   * @throws OptionsError if `withKey` is set and `text_url` is not under `baseUrl`.
   * @throws ApiError if `withKey` is set and the service rejects the request.
   * @throws ContractDriftError if the job has neither `text_url` nor `result.text`.
   */
  text(options?: TextOptions): Promise<string>
}

/** Options of {@link CompletedJob.text}. @public */
export interface TextOptions {
  readonly signal?: AbortSignal
  /** The largest text to accept, in bytes. Default: the client's `maxResponseBytes` (128 MiB). */
  readonly maxBytes?: number
  /**
   * Sends the API key to `text_url`, which must be under `baseUrl`. Whether `text_url` requires the key is not
   * documented. Default: false.
   */
  readonly withKey?: boolean
}

const TEXT_OPTIONS: OptionNames<TextOptions> = { signal: true, maxBytes: true, withKey: true }

export function checkTextOptions(options: TextOptions): void {
  checkOptionNames(options, TEXT_OPTIONS, 'options')
}

export type FetchText = (url: string, options: TextOptions) => Promise<string>

/** The status of `job` must be `completed`. @throws ContractDriftError if the job has no `result`. */
export function toCompletedJob<Fields>(job: Job, fetchText: FetchText): CompletedJob<Fields> {
  const { result } = job
  if (typeof result !== 'object' || result === null)
    throw drift(job, '/result', 'is missing although the job is completed')
  const text = async (options: TextOptions = {}): Promise<string> => {
    checkTextOptions(options)
    if (typeof result.text_url === 'string') return fetchText(result.text_url, options)
    if (typeof result.text === 'string') return result.text
    throw drift(job, '/result/text', 'is missing, and /result/text_url is also missing')
  }
  // `text` isn't enumerable, so that a printed or serialized job contains only what the service sent.
  return Object.defineProperty({ ...job }, 'text', { value: text }) as unknown as CompletedJob<Fields>
}

function drift(job: Job, path: string, reason: string): ContractDriftError {
  return new ContractDriftError(
    `getJob: the job ${job.id} does not match the contract. ${path} ${reason}.`,
    [{ path, reason }],
    job,
    { operation: 'getJob' },
  )
}

/**
 * Checks rules that the contract states only in prose.
 *
 * @see `specs/extraction/openapi.yaml#/components/schemas/Job`
 */
export function jobIssues(job: Job): readonly Issue[] {
  const given = (value: unknown): boolean => value !== undefined && value !== null
  const missing = (name: keyof Job): readonly Issue[] =>
    given(job[name]) ? [] : [{ path: `/${name}`, reason: `is missing from a ${job.status} job` }]
  if (job.status === 'failed') return missing('error')
  const failure = given(job.error)
    ? [{ path: '/error', reason: 'is present, but the job has not failed' }]
    : []
  return [...failure, ...missing('created_at'), ...missing('completed_at')]
}

export function fieldIssues(job: Job, fields: StandardSchema): readonly Issue[] {
  const data: unknown = job.result?.data
  if (typeof data !== 'object' || data === null) return [{ path: '/result/data', reason: 'is missing' }]
  const values = Object.fromEntries(
    Object.entries(data as Record<string, { value?: unknown } | null>).map(([name, entry]) => [
      name,
      entry?.value,
    ]),
  )
  const outcome = fields['~standard'].validate(values)
  if (outcome instanceof Promise) {
    throw new OptionsError(
      'fields',
      'The schema for the extracted values has asynchronous checks, which are not supported.',
      'Use a schema without asynchronous checks. The job has completed; to read it again, call `extraction.job(id, { fields })`.',
    )
  }
  return (outcome.issues ?? []).map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
    const [name, ...inside] = keys
    const place = name === undefined ? '' : `/${[name, 'value', ...inside].join('/')}`
    return { path: `/result/data${place}`, reason: message }
  })
}
