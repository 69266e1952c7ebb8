import {
  apiKeyCredential,
  checkOptionNames,
  OptionsError,
  type ClientOptions,
  type Clock,
  type Credential,
  type DriftReport,
  type Duration,
  type Observe,
  type PollingOptions,
  type RandomSource,
  type RetryOptions,
  type Transport,
  type ValidationMode,
} from '@concord/runtime'

import { explain, refineError } from './errors.ts'

/** An API key: the key itself, a function that gives it, or a store that holds it. It is read for each request. @public */
export type ApiKey = string | (() => string | Promise<string>) | { get(): string | Promise<string> }

/** Options of {@link Extraction}. Only `baseUrl` is required; all operations but the public ones need `apiKey`. @public */
export interface ExtractionOptions {
  /** The address of the service. It may have a path, which is kept. */
  readonly baseUrl: string
  /** The key of this service; keys of other services are not interchangeable. */
  readonly apiKey?: ApiKey
  /** Milliseconds for one attempt: connect, headers and body. Default 60,000. */
  readonly timeoutMs?: number
  /** Limit for all attempts of a call and the waits between them, such as `'2m'`. Default: none. */
  readonly deadline?: Duration
  readonly retry?: RetryOptions
  /** How answers are checked: told of (`'report'`, the default), thrown (`'enforce'`) or not at all (`'off'`). */
  readonly validate?: ValidationMode
  /** Told where answers differ from the contract. Without it there is one process warning per place. */
  readonly onDrift?: (report: DriftReport) => void
  /** Receives the events of the client; nothing secret is in them. */
  readonly observe?: Observe
  /** Delays and limits of polling, in place of what the service recommends. */
  readonly polling?: ExtractionPolling
  /**
   * Which response headers hold the quota figures. Every response carries four, but their names are not documented:
   * `{ pagesPerMonth: 'name-of-the-header', ... }` gives `quota.pagesPerMonth` on every answer and error.
   */
  readonly quotaHeaders?: Readonly<Record<string, string>>
  /** Which response header holds a request id. None is documented. */
  readonly requestIdHeader?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How many connections at most; Node only. Default 64. */
  readonly connections?: number
  /** What carries the requests. Default: undici in Node, fetch elsewhere. */
  readonly transport?: Transport
  /** Aborting it ends all calls and waits, with the signal's own reason. */
  readonly signal?: AbortSignal
  readonly clock?: Clock
  readonly random?: RandomSource
}

/** How the waits of a client poll. @public */
export interface ExtractionPolling {
  /** For jobs. Default: 5 s, then 5 to 10 s with backoff, for at most 5 minutes, as the service recommends. */
  readonly job?: PollingOptions
  /** For optimizations, of which the documentation gives no cadence. Default: 5 to 30 s, for at most 10 minutes. */
  readonly optimization?: PollingOptions
  /** The plan's rate, so that polls never use it up. Default: polls are not held back. */
  readonly requestsPerMinute?: number
  /** How many of these polls leave free for other calls. Default: a fifth, at least 1. */
  readonly reserve?: number
  /** How many polls may be under way at once. Default: 64. */
  readonly connections?: number
}

const NAMES = [
  'baseUrl',
  'apiKey',
  'timeoutMs',
  'deadline',
  'retry',
  'validate',
  'onDrift',
  'observe',
  'polling',
  'quotaHeaders',
  'requestIdHeader',
  'headers',
  'connections',
  'transport',
  'signal',
  'clock',
  'random',
] as const satisfies readonly (keyof ExtractionOptions)[]

/** The runtime's options for this service. @throws OptionsError */
export function toClientOptions(options: ExtractionOptions): ClientOptions {
  checkOptionNames(options, NAMES, 'options')
  if (options.baseUrl === undefined) {
    throw new OptionsError(
      'baseUrl',
      'is missing.',
      'Give the address of the service, such as https://extraction.example.',
    )
  }
  if (typeof options.baseUrl === 'string' && !/^https?:\/\//i.test(options.baseUrl)) {
    throw new OptionsError('baseUrl', 'has no http:// or https:// in front.', 'Give it with its scheme.')
  }
  const { baseUrl, apiKey, polling: _polling, ...shared } = options
  return {
    ...shared,
    servers: { baseUrl },
    credentials: { apiKey: apiKey === undefined ? NO_KEY : apiKeyCredential(apiKey, 'X-API-Key') },
    explain,
    refineError,
  }
}

/** Stands where no key was given: only operations that need one ask for it. */
const NO_KEY: Credential = {
  in: 'header',
  name: 'X-API-Key',
  value() {
    throw new OptionsError(
      'apiKey',
      'is missing, and this operation needs it.',
      'Give it when you make the client, use Extraction.fromEnv(), or get one with authorizeDevice().',
    )
  },
}
