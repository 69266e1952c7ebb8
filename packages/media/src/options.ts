import {
  bearerCredential,
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
  choiceOption,
  COMMON_OPTIONS,
  functionOption,
  numberOption,
  type SecretSource,
  type OptionNames,
} from '@concord/runtime/internal'

import type { Uploader } from './inputs.ts'
import { checkAccess, type SessionAccess } from './session-access.ts'
import type { ServiceVersion } from './version.ts'

/** Options of {@link Media}. `baseUrl` is required; without `apiSecret`, every call fails. @public */
export interface MediaOptions extends CommonOptions {
  /** The base URL of the service. A path in the URL is kept. */
  readonly baseUrl: string
  /**
   * The API secret: a string, a function that returns it, or a store that contains it. It is read for each request,
   * and sent only to the service. How it is issued is not documented.
   */
  readonly apiSecret?: SecretSource
  /**
   * The name and value of the version header. Pass this option if the service expects a different name or value than
   * the documented one. Default: `X-Service-Version` with `2024-11-06`.
   */
  readonly serviceVersion?: ServiceVersion
  /**
   * Uploads an input that is too large for a data URI, and resolves to the URI of the upload. The documentation
   * doesn't say how to send the bytes to the service, so the client can't upload them itself.
   */
  readonly uploader?: Uploader
  /**
   * Whether the documented rules for inputs (URLs, sizes, image formats) are checked before anything is sent. `'unchecked'`
   * is for a more permissive service, such as an emulator that fetches from `http://127.0.0.1`. Default: `'checked'`.
   */
  readonly inputRules?: 'checked' | 'unchecked'
  /**
   * Says which fields of a session record contain its id and status, because the names of these fields are not
   * documented. You can also pass this option per call.
   */
  readonly sessionAccess?: SessionAccess
  /** Polling delays and limits. They override the documented delays and the default limits. */
  readonly polling?: MediaPolling
}

/** How a client polls tasks and sessions. @public */
export interface MediaPolling {
  /** For tasks. Default: every 5 s, as in the documentation's example; a wait lasts at most 24 hours. */
  readonly task?: PollingOptions
  /**
   * For sessions. The documentation doesn't say how often to poll them. Default: every 1 to 5 s; a wait lasts at
   * most 5 minutes for `READY`, and at most 15 minutes for `COMPLETED`.
   */
  readonly session?: PollingOptions
  /** The maximum number of concurrent polls. Default: 64. */
  readonly connections?: number
}

const NAMES: OptionNames<MediaOptions> = {
  baseUrl: true,
  apiSecret: true,
  serviceVersion: true,
  uploader: true,
  inputRules: true,
  sessionAccess: true,
  polling: true,
  ...COMMON_OPTIONS,
}
const INPUT_RULES = { checked: true, unchecked: true } as const
const POLLING_NAMES: OptionNames<MediaPolling> = { task: true, session: true, connections: true }

/** @throws OptionsError if an option is invalid. */
export function toClientOptions(options: MediaOptions): ClientOptions {
  checkOptionNames(options, NAMES, 'options')
  baseUrlOption(options.baseUrl, 'baseUrl', 'https://media.example')
  const {
    baseUrl,
    apiSecret,
    polling,
    serviceVersion: _version,
    sessionAccess,
    uploader,
    inputRules,
    ...shared
  } = options
  functionOption(uploader, 'uploader')
  if (polling !== undefined) {
    checkOptionNames(polling, POLLING_NAMES, 'polling')
    checkPollingNames(polling.task, 'polling.task')
    checkPollingNames(polling.session, 'polling.session')
    numberOption(polling.connections, 'polling.connections', 64, { min: 1, whole: true })
  }
  if (sessionAccess !== undefined) checkAccess(sessionAccess, 'sessionAccess')
  choiceOption(inputRules, 'inputRules', INPUT_RULES, 'checked')
  return {
    ...shared,
    servers: { baseUrl },
    credentials: { apiSecret: apiSecret === undefined ? NO_SECRET : bearerCredential(apiSecret) },
  }
}

/** Lets a client be created without a secret; its calls then fail. */
const NO_SECRET: Credential = {
  in: 'header',
  name: 'authorization',
  value() {
    throw new OptionsError(
      'apiSecret',
      '`apiSecret` is missing. Every operation requires it.',
      'Pass it to the client, or set MEDIA_API_SECRET and use Media.fromEnv().',
    )
  },
}

/** The environment variables that `Media.fromEnv` reads. The service's documentation doesn't define them. @public */
export const MEDIA_VARIABLES = { baseUrl: 'MEDIA_BASE_URL', apiSecret: 'MEDIA_API_SECRET' } as const

/** Reads the base URL and, if set, the secret. @throws OptionsError if the base URL is not set. */
export function readEnv(
  env: Readonly<Record<string, string | undefined>> | undefined,
  given: string | undefined,
): { readonly baseUrl: string; readonly apiSecret?: string } {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const variables = env ?? host.process?.env ?? {}
  const baseUrl = given ?? variables[MEDIA_VARIABLES.baseUrl]
  const apiSecret = variables[MEDIA_VARIABLES.apiSecret]
  if (!baseUrl)
    throw new OptionsError(
      'baseUrl',
      `\`baseUrl\` is missing, and ${MEDIA_VARIABLES.baseUrl} is not set.`,
      `Set ${MEDIA_VARIABLES.baseUrl}, or pass \`baseUrl\`.`,
    )
  return { baseUrl, ...(apiSecret && { apiSecret }) }
}
