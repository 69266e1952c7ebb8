import {
  apiKeyCredential,
  type ClientOptions,
  type CommonOptions,
  type Credential,
  OptionsError,
  type PollingOptions,
} from '@concord/runtime'
import {
  addressOption,
  checkOptionNames,
  checkPollingNames,
  COMMON_OPTIONS,
  type SecretSource,
  type OptionNames,
} from '@concord/runtime/internal'

import { explain, refineError } from './errors.ts'

/** Options of {@link Extraction}. Only `baseUrl` is required; all operations but the public ones need `apiKey`. @public */
export interface ExtractionOptions extends CommonOptions {
  /** The address of the service. It may have a path, which is kept. */
  readonly baseUrl: string
  /** The key of this service, or its source. It is read for each request. Keys of other services don't work. */
  readonly apiKey?: SecretSource
  /** Delays and limits of polling. They override the recommendations of the service. */
  readonly polling?: ExtractionPolling
  /**
   * Which response headers hold the quota figures. Every response carries four, but their names are not documented:
   * `{ pagesPerMonth: 'name-of-the-header', ... }` sets `quota.pagesPerMonth` on every answer and error.
   */
  readonly quotaHeaders?: CommonOptions['quotaHeaders']
}

/** How the waits of a client poll. @public */
export interface ExtractionPolling {
  /** For jobs. Default: 5 s, then 5 to 10 s with backoff, for at most 5 minutes, as the service recommends. */
  readonly job?: PollingOptions
  /** For optimizations, for which no interval is documented. Default: 5 to 30 s, for at most 10 minutes. */
  readonly optimization?: PollingOptions
  /** The plan's rate, so that polls never use it up. Default: polls are not held back. */
  readonly requestsPerMinute?: number
  /** How many of these requests polls leave free for other calls. Default: a fifth, at least 1. */
  readonly reserve?: number
  /** How many polls may be in flight at once. Default: 64. */
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

/** The runtime's options for this service. @throws OptionsError */
export function toClientOptions(options: ExtractionOptions): ClientOptions {
  checkOptionNames(options, NAMES, 'options')
  addressOption(options.baseUrl, 'baseUrl', 'https://extraction.example')
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

/** The credential of a client without a key. It throws when an operation needs one. */
const NO_KEY: Credential = {
  in: 'header',
  name: 'X-API-Key',
  value() {
    throw new OptionsError(
      'apiKey',
      'This operation needs `apiKey`, which is missing.',
      'Pass it to the client, use Extraction.fromEnv(), or get a key with authorizeDevice().',
    )
  },
}
