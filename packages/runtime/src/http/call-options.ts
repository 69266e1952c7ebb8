import {
  checkOptionNames,
  choiceOption,
  type Duration,
  functionOption,
  numberOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'

/** How responses are validated against the contract. @public */
export type ValidationMode = 'report' | 'enforce' | 'off'

/** Options of a single call. @public */
export interface CallOptions {
  /** If this signal is aborted, the call ends at once and throws the signal's reason. */
  readonly signal?: AbortSignal
  /**
   * The time limit of one attempt, in milliseconds, from connecting to the end of the response body. While a file or
   * a stream is being uploaded, `timeoutMs` instead limits each pause in the upload. After the upload, it limits the
   * wait for the response. Default: the client's `timeoutMs`.
   */
  readonly timeoutMs?: number
  /** The time limit for all attempts together, including the waits between them. Default: the client's `deadline`. */
  readonly deadline?: Duration
  readonly validate?: ValidationMode
  /** Maximum number of attempts, including the first; 1 means no retry. Default: the client's `retry.maxAttempts`. */
  readonly maxAttempts?: number
  /** Query parameters, headers, fields and form parts that the contract doesn't define. They are sent unchanged. */
  readonly extra?: Extra
  /**
   * Called during an upload with the number of bytes that the connection has accepted so far. In a browser, called
   * only once, when the response arrives.
   */
  readonly onUploadProgress?: (progress: UploadProgress) => void
}

/** The names of all {@link CallOptions}, for methods that check these options together with their own. @public */
export const CALL_OPTIONS: OptionNames<CallOptions> = {
  signal: true,
  timeoutMs: true,
  deadline: true,
  validate: true,
  maxAttempts: true,
  extra: true,
  onUploadProgress: true,
}

/** Query parameters, headers, fields and form parts that aren't in the contract. They are sent unchanged. @public */
export interface Extra {
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Additional fields of a JSON body or a URL-encoded form. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Additional parts of a multipart form. */
  readonly parts?: Readonly<Record<string, unknown>>
}

/** The progress of an upload. @public */
export interface UploadProgress {
  readonly bytesSent: number
  /** The length of the whole body, if known. */
  readonly totalBytes?: number
}

export interface CallInput {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly cookies?: Readonly<Record<string, unknown>>
  /** The media type of the body, if the contract allows several. */
  readonly contentType?: string
  readonly body?: unknown
}

/** The settings of one call. If the call omits an option, the client's setting applies. */
export interface CallSettings {
  readonly timeoutMs: number
  readonly deadlineMs: number | undefined
  readonly maxAttempts: number
  readonly validate: ValidationMode
}

const EXTRA_NAMES: OptionNames<Extra> = { query: true, headers: true, body: true, parts: true }

/** @throws OptionsError if an option is unknown or unusable. */
export function settingsOf(client: CallSettings, options: CallOptions | undefined): CallSettings {
  if (options === undefined) return client
  const { timeoutMs, deadlineMs, maxAttempts, validate } = client
  checkOptionNames(options, CALL_OPTIONS, 'options')
  if (options.extra !== undefined) checkOptionNames(options.extra, EXTRA_NAMES, 'extra')
  signalOption(options.signal)
  functionOption(options.onUploadProgress, 'onUploadProgress')
  return {
    timeoutMs: numberOption(options.timeoutMs, 'timeoutMs', timeoutMs, { min: 1 }),
    deadlineMs: options.deadline === undefined ? deadlineMs : parseDuration(options.deadline),
    maxAttempts: numberOption(options.maxAttempts, 'maxAttempts', maxAttempts, { min: 1, whole: true }),
    validate: validationOption(options.validate, validate),
  }
}

/** @throws OptionsError */
export function validationOption(
  value: ValidationMode | undefined,
  fallback: ValidationMode,
): ValidationMode {
  return choiceOption(value, 'validate', { report: true, enforce: true, off: true }, fallback)
}
