import {
  bearerCredential,
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

/** Options of {@link Media}. `baseUrl` is required; without `apiSecret` every call fails, since every operation needs it. @public */
export interface MediaOptions extends CommonOptions {
  /** The address of the service. It may have a path, which is kept. */
  readonly baseUrl: string
  /**
   * The API secret: the secret itself, a function that returns it, or a store that contains it. It is read for each request,
   * and sent only to the service. How it is issued is not documented.
   */
  readonly apiSecret?: SecretSource
  /**
   * The version header, if its real name or value differs from the documentation. Default: `X-Service-Version` with
   * `2024-11-06`.
   */
  readonly serviceVersion?: ServiceVersion
  /**
   * Uploads an input that is too large for a data URI, and resolves to its URI. How the bytes of an upload get to the
   * service is not documented, so the client doesn't do it on its own.
   */
  readonly uploader?: Uploader
  /**
   * Whether the documented rules for inputs (addresses, sizes, formats of images) are checked before anything is sent.
   * `'unchecked'` is for a more permissive service, such as an emulator that fetches from `http://127.0.0.1`. Default
   * `'checked'`.
   */
  readonly inputRules?: 'checked' | 'unchecked'
  /** Where session records have their identifier and status, which is not documented. For `sessions`; can be passed per call. */
  readonly sessionAccess?: SessionAccess
  /** Delays and limits of polling, in place of the documented ones. */
  readonly polling?: MediaPolling
}

/** How the waits of a client poll. @public */
export interface MediaPolling {
  /** For tasks. Default: every 5 s, as the documentation's own loop does; a wait lasts at most 24 hours. */
  readonly task?: PollingOptions
  /**
   * For sessions, for which the documentation shows no cadence. Default: 1 to 5 s, for at most 5 minutes until `READY` and
   * 15 minutes until `COMPLETED`.
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
const POLLING_NAMES: OptionNames<MediaPolling> = { task: true, session: true, connections: true }

/** The runtime's options for this service. @throws OptionsError */
export function toClientOptions(options: MediaOptions): ClientOptions {
  checkOptionNames(options, NAMES, 'options')
  addressOption(options.baseUrl, 'baseUrl', 'https://media.example')
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
  choiceOption(inputRules, 'inputRules', { checked: true, unchecked: true }, 'checked')
  return {
    ...shared,
    servers: { baseUrl },
    credentials: { apiSecret: apiSecret === undefined ? NO_SECRET : bearerCredential(apiSecret) },
  }
}

/** Used if no secret was passed, so that a client can be created without one. */
const NO_SECRET: Credential = {
  in: 'header',
  name: 'authorization',
  value() {
    throw new OptionsError(
      'apiSecret',
      'Every operation needs `apiSecret`, which is missing.',
      'Pass it to the client, or use Media.fromEnv().',
    )
  },
}
