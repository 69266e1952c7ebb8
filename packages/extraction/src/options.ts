import {
  apiKeyCredential,
  type ClientOptions,
  type CommonOptions,
  type Credential,
  OptionsError,
  type PollingOptions,
} from '@concord/runtime'
import {
  baseUrlOption,
  checkOptionNames,
  checkPollingNames,
  COMMON_OPTIONS,
  type SecretSource,
  type OptionNames,
} from '@concord/runtime/internal'

import { explain, refineError } from './errors.ts'

/**
 * Options of {@link Extraction}. Only `baseUrl` is required. The device authorization, `getPreview` and `listPipelines`
 * work without `apiKey`; all other operations need it. @public
 */
export interface ExtractionOptions extends CommonOptions {
  /**
   * The base URL of the service. It may have a path (`https://host/prefix`). The paths of the operations are appended
   * to it.
   */
  readonly baseUrl: string
  /** The API key of this service: a string, a function or a store. It is read for each request. */
  readonly apiKey?: SecretSource
  /** Polling delays and limits. They override the service's recommendations. */
  readonly polling?: ExtractionPolling
  /**
   * The names of the response headers that contain your quota. Every response has four of them, but their names are
   * not documented. You choose the keys: `{ pagesPerMonth: 'name-of-the-header' }` sets `quota.pagesPerMonth` on
   * every response and error.
   */
  readonly quotaHeaders?: CommonOptions['quotaHeaders']
}

/** Polling delays and limits of a client. @public */
export interface ExtractionPolling {
  /**
   * Delays and limits for jobs. By default, the client follows the service's recommendation: it first polls after
   * 5 s, then every 5 to 10 s with backoff, for at most 5 minutes.
   */
  readonly job?: PollingOptions
  /** Delays and limits for optimizations. No interval is documented. Default: 5 to 30 s, for at most 10 minutes. */
  readonly optimization?: PollingOptions
  /** The rate limit of your plan. Polls are delayed to leave room for other calls. Default: polls are not limited. */
  readonly requestsPerMinute?: number
  /** How many of the `requestsPerMinute` are reserved for calls other than polls. Default: a fifth, at least 1. */
  readonly reserve?: number
  /** The maximum number of concurrent polls. Default: 64. */
  readonly connections?: number
}

const NAMES: OptionNames<ExtractionOptions> = {
  baseUrl: true,
  apiKey: true,
  polling: true,
  ...COMMON_OPTIONS,
}

const POLLING_NAMES: OptionNames<ExtractionPolling> = {
  job: true,
  optimization: true,
  requestsPerMinute: true,
  reserve: true,
  connections: true,
}

export function toClientOptions(options: ExtractionOptions): ClientOptions {
  checkOptionNames(options, NAMES, 'options')
  baseUrlOption(options.baseUrl, 'baseUrl', 'https://extraction.example')
  const { baseUrl, apiKey, polling, ...shared } = options
  if (polling !== undefined) {
    checkOptionNames(polling, POLLING_NAMES, 'polling')
    checkPollingNames(polling.job, 'polling.job')
    checkPollingNames(polling.optimization, 'polling.optimization')
  }
  return {
    ...shared,
    servers: { baseUrl },
    credentials: { apiKey: apiKey === undefined ? NO_KEY : apiKeyCredential(apiKey, 'X-API-Key') },
    explain,
    refineError,
  }
}

const NO_KEY: Credential = {
  in: 'header',
  name: 'X-API-Key',
  value() {
    throw new OptionsError(
      'apiKey',
      'This operation needs `apiKey`, which is missing.',
      'Pass `apiKey` to the client, set `EXTRACTION_API_KEY` before you call `Extraction.fromEnv()`, or get a key with `authorizeDevice()`.',
    )
  },
}

/** The environment variables that `Extraction.fromEnv` reads. The service doesn't define their names. @public */
export const EXTRACTION_VARIABLES = { baseUrl: 'EXTRACTION_BASE_URL', apiKey: 'EXTRACTION_API_KEY' } as const

export function readEnv(
  env: Readonly<Record<string, string | undefined>> | undefined,
  given: string | undefined,
): { readonly baseUrl: string; readonly apiKey?: string } {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const variables = env ?? host.process?.env ?? {}
  const baseUrl = given ?? variables[EXTRACTION_VARIABLES.baseUrl]
  const apiKey = variables[EXTRACTION_VARIABLES.apiKey]
  if (!baseUrl)
    throw new OptionsError(
      'baseUrl',
      `is missing, and ${EXTRACTION_VARIABLES.baseUrl} is not set.`,
      `Set ${EXTRACTION_VARIABLES.baseUrl}, or pass \`baseUrl\`.`,
    )
  return apiKey ? { baseUrl, apiKey } : { baseUrl }
}
