import { apiKeyCredential, type ClientOptions, type CommonOptions, OptionsError } from '@concord/runtime'
import {
  baseUrlOption,
  checkOptionNames,
  COMMON_OPTIONS,
  methodsOption,
  signalOption,
  type SecretSource,
  type OptionNames,
} from '@concord/runtime/internal'
import { type TokenStore } from '@concord/runtime/session'

import { explain, refineErrors } from './errors.ts'

/** Options of {@link StorageAuth}. `authUrl` and `dataUrl` are required. @public */
export interface StorageAuthOptions extends CommonOptions {
  /** The base URL of the token endpoints, including any path prefix (such as `/api`). */
  readonly authUrl: string
  /**
   * The base URL of the data endpoints (`/v1/...`), including any path prefix (such as `/api`). The endpoints for API
   * keys are data endpoints, too.
   */
  readonly dataUrl: string
  /** The base URL of the sign-in page. Only browser sign-in needs it. */
  readonly webUrl?: string
  /**
   * Where the session is stored. Default: in memory, until the process ends. `fileStore` from `@concord/storage-auth/node`
   * keeps the session in a file that processes share; `envStore` reads environment variables.
   */
  readonly store?: TokenStore
  /** An API key for the data endpoints. The client uses it if it has no session. An API key can't manage API keys. */
  readonly apiKey?: SecretSource
  /**
   * If true, refreshes the session on time even while the session isn't used, and keeps the process alive until the
   * session is closed. If false (the default), the first use of an access token that is at least 55 minutes old
   * starts a refresh in the background. An access token is valid for 60 minutes.
   */
  readonly keepFresh?: boolean
  /**
   * The maximum number of requests per minute to the token endpoints, across all processes that share the store. Default:
   * 10, as documented; `Infinity` for no limit.
   */
  readonly tokenRequestsPerMinute?: number
}

const NAMES: OptionNames<StorageAuthOptions> = {
  authUrl: true,
  dataUrl: true,
  webUrl: true,
  store: true,
  apiKey: true,
  keepFresh: true,
  tokenRequestsPerMinute: true,
  ...COMMON_OPTIONS,
}

/** @throws OptionsError if an option is unknown or invalid. */
export function toClientOptions(options: StorageAuthOptions): ClientOptions {
  checkOptionNames(options, NAMES, 'options')
  signalOption(options.signal)
  baseUrlOption(options.authUrl, 'authUrl', 'https://auth.storage.example/api')
  baseUrlOption(options.dataUrl, 'dataUrl', 'https://data.storage.example/api')
  if (options.webUrl !== undefined) webAddress(options.webUrl)
  methodsOption(
    options.store,
    'store',
    ['read', 'exclusive'],
    'Pass fileStore(path), envStore(), memoryStore(), or an object that implements TokenStore.',
  )
  // Rejects an invalid key now, not on the first request.
  if (options.apiKey !== undefined) apiKeyCredential(options.apiKey, 'X-API-Key')
  if (options.keepFresh !== undefined && typeof options.keepFresh !== 'boolean') {
    throw new OptionsError('keepFresh', 'must be true or false.', 'Pass true or false, or omit the option.')
  }
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

/**
 * Checks the base URL of the sign-in page. The user sees this URL, so it must not contain a secret.
 *
 * @throws OptionsError
 */
export function webAddress(value: unknown): string {
  return baseUrlOption(value, 'webUrl', 'https://storage.example')
}
