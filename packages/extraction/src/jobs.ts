import {
  checkOptionNames,
  ContractDriftError,
  OptionsError,
  type OperationHandle,
  type StandardSchema,
  type OptionNames,
} from '@concord/runtime'
import type { Job, Result } from '@concord/extraction-validators'

import type { OpenFields } from './fields.ts'

/** A submitted document: its status, its end, and a token to find it again. @public */
export type JobHandle<Fields = OpenFields> = OperationHandle<Job, CompletedJob<Fields>>

/**
 * A completed job: what `getJob` returned, with the fields typed and the full text at hand. The job exactly as it was
 * received is the `snapshot` of its handle.
 *
 * @public
 */
export interface CompletedJob<Fields = OpenFields> extends Omit<Job, 'status' | 'result'> {
  readonly status: 'completed'
  readonly result: Omit<Result, 'data'> & {
    /** There only when `schema` or `blueprint_id` was submitted. */
    readonly data?: Fields
  }
  /**
   * The full text in markdown: fetched from `text_url` where the service gave one, without the key; otherwise
   * `result.text`.
   *
   * @throws DownloadError when the link has expired or the text is larger than `maxBytes`.
   * @throws ContractDriftError when the job has neither.
   */
  text(options?: TextOptions): Promise<string>
}

/** How {@link CompletedJob.text} fetches. @public */
export interface TextOptions {
  readonly signal?: AbortSignal
  /** A longer text is refused, in bytes. Default: 256 MiB. */
  readonly maxBytes?: number
}

const TEXT_OPTIONS: OptionNames<TextOptions> = { signal: true, maxBytes: true }

/** Rejects unknown option names. @throws OptionsError */
export function checkTextOptions(options: TextOptions): void {
  checkOptionNames(options, TEXT_OPTIONS, 'options')
}

/** Fetches a text from an address, without any credential. */
export type FetchText = (url: string, options: TextOptions) => Promise<string>

/**
 * Makes a {@link CompletedJob} of a job whose status is `completed`.
 *
 * @throws ContractDriftError when it has no `result`, which the flow cannot do without.
 */
export function toCompletedJob<Fields>(job: Job, fetchText: FetchText): CompletedJob<Fields> {
  const { result } = job
  if (typeof result !== 'object' || result === null)
    throw drift(job, '/result', 'a completed job must have one')
  const text = async (options: TextOptions = {}): Promise<string> => {
    checkTextOptions(options)
    if (typeof result.text_url === 'string') return fetchText(result.text_url, options)
    if (typeof result.text === 'string') return result.text
    throw drift(job, '/result/text', 'there is neither text nor text_url')
  }
  // Not enumerable: a completed job prints and serialises as what the service sent.
  return Object.defineProperty({ ...job }, 'text', { value: text }) as unknown as CompletedJob<Fields>
}

function drift(job: Job, path: string, reason: string): ContractDriftError {
  return new ContractDriftError(
    `getJob: the job ${job.id} is not what the contract says at ${path}: ${reason}.`,
    [{ path, reason }],
    job,
    {
      operation: 'getJob',
    },
  )
}

/** Why the values of a completed job are not what the caller's own schema says; empty when they are. */
export function fieldIssues(
  job: Job,
  fields: StandardSchema,
): { readonly path: string; readonly reason: string }[] {
  const data: unknown = job.result?.data
  if (typeof data !== 'object' || data === null)
    return [{ path: '/result/data', reason: 'there is none to hold the fields' }]
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
      '`fields` has asynchronous checks, which are not supported.',
      'Pass a schema without asynchronous checks.',
    )
  }
  return (outcome.issues ?? []).map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
    const [name, ...inside] = keys
    const place = name === undefined ? '' : `/${[name, 'value', ...inside].join('/')}`
    return { path: `/result/data${place}`, reason: message }
  })
}
