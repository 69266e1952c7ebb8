import {
  checkOptionNames,
  OptionsError,
  type ClientOptions,
  type Clock,
  type DriftReport,
  type Duration,
  type Observe,
  type RandomSource,
  type RetryOptions,
  type SecretStore,
  type TokenStore,
  type Transport,
  type ValidationMode,
} from '@concord/runtime'

import { explain, refineErrors } from './errors.ts'

/** An API key: the key itself, a function that gives it, or a store that holds it. It is read for each request. @public */
export type ApiKeySource = string | (() => string | Promise<string>) | SecretStore

/** Options of {@link StorageAuth}. `authUrl` and `dataUrl` are required. @public */
export interface StorageAuthOptions {
  /** The address of the token endpoints, with the path prefix of their API. */
  readonly authUrl: string
  /** The address of the V1 data endpoints, API keys among them, with the path prefix of their API. */
  readonly dataUrl: string
  /** The address that the sign-in page for browsers is under. Only the sign-in with a browser needs it. */
  readonly webUrl?: string
  /**
   * Where the session is kept. Default: in memory, so that it ends with the process. `fileStore` from
   * `@concord/storage-auth/node` keeps it in a file that processes share, `envStore` reads environment variables.
   */
  readonly store?: TokenStore
  /** A key for the V1 endpoints, used where there is no session. Keys cannot manage keys. */
  readonly apiKey?: ApiKeySource
  /**
   * Refreshes the session when it is time even if nobody uses it. The process then stays alive until the session is
   * closed. Default: false; the first use after 55 of 60 minutes starts a refresh and does not wait for it.
   */
  readonly keepFresh?: boolean
  /**
   * How many requests a minute go to the token endpoints at most, counted over all processes that share the store.
   * Default 10, as documented; `Infinity` for no limit.
   */
  readonly tokenRequestsPerMinute?: number
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

const NAMES = [
  'authUrl',
  'dataUrl',
  'webUrl',
  'store',
  'apiKey',
  'keepFresh',
  'tokenRequestsPerMinute',
  'timeoutMs',
  'deadline',
  'retry',
  'validate',
  'onDrift',
  'observe',
  'requestIdHeader',
  'headers',
  'connections',
  'transport',
  'signal',
  'clock',
  'random',
] as const satisfies readonly (keyof StorageAuthOptions)[]

/** The options that are the same for every client of the service. @throws OptionsError */
export function toClientOptions(options: StorageAuthOptions): ClientOptions {
  checkOptionNames(options, NAMES, 'options')
  checkAddress(options.authUrl, 'authUrl', 'https://auth.storage.example/api')
  checkAddress(options.dataUrl, 'dataUrl', 'https://data.storage.example/api')
  if (options.webUrl !== undefined) checkAddress(options.webUrl, 'webUrl', 'https://storage.example')
  checkStore(options.store)
  const {
    authUrl,
    dataUrl,
    webUrl: _webUrl,
    store: _store,
    apiKey: _apiKey,
    keepFresh: _keepFresh,
    tokenRequestsPerMinute: _tokenRequestsPerMinute,
    ...shared
  } = options
  return {
    ...shared,
    servers: { authUrl, dataUrl },
    explain,
    refineError: refineErrors(options.clock),
  }
}

/** @throws OptionsError when an address is missing or has no scheme. */
export function checkAddress(value: unknown, option: string, example: string): asserts value is string {
  if (value === undefined)
    throw new OptionsError(option, 'is missing.', `Give the address, such as ${example}.`)
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value)) {
    throw new OptionsError(option, 'has no http:// or https:// in front.', 'Give it with its scheme.')
  }
}

function checkStore(store: unknown): void {
  if (store === undefined) return
  const { read, exclusive } = (store ?? {}) as Partial<Record<string, unknown>>
  if (typeof read === 'function' && typeof exclusive === 'function') return
  throw new OptionsError(
    'store',
    'is not a store.',
    'Give fileStore(path), envStore(), memoryStore(), or an object that implements TokenStore.',
  )
}
