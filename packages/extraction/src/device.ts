import {
  ApiError,
  type CallOptions,
  type Client,
  SubmissionUncertainError,
  UnexpectedContentError,
} from '@concord/runtime'
import { checkOptionNames, type OptionNames } from '@concord/runtime/internal'
import {
  authorizeDevice as runDeviceFlow,
  type AuthorizedKey,
  type DeviceFlowOptions,
} from '@concord/runtime/device-flow'
import type { DeviceToken } from '@concord/extraction-validators'

import { createDeviceCode, pollDeviceToken } from './gen/operations.gen.ts'

/** Options of `Extraction.authorizeDevice`. `onPrompt` and `save` are required. @public */
export interface DeviceAuthorizationOptions extends Pick<
  DeviceFlowOptions,
  'onPrompt' | 'save' | 'onUpdate' | 'deadline' | 'signal'
> {
  /** The name that the user sees when approving the request. By default, the user sees a generic label. */
  readonly agentName?: string
}

/** The client doesn't retry a failed poll, because the device flow itself repeats it, with increasing delays. */
const ONE_ATTEMPT = { maxAttempts: 1 } as const satisfies CallOptions
/** The service sends the key only once. So a response that doesn't match the contract is reported, but not rejected. */
const REPORT_DRIFT_ONLY = { ...ONE_ATTEMPT, validate: 'report' } as const satisfies CallOptions

const NAMES: OptionNames<DeviceAuthorizationOptions> = {
  onPrompt: true,
  save: true,
  onUpdate: true,
  deadline: true,
  signal: true,
  agentName: true,
}

/**
 * How long a code is valid if the service doesn't say.
 *
 * @see `specs/extraction/openapi.yaml#/components/schemas/DeviceCode`
 */
const DEFAULT_LIFETIME_SECONDS = 900

export async function authorizeDevice(
  client: Client,
  options: DeviceAuthorizationOptions,
): Promise<AuthorizedKey> {
  checkOptionNames(options, NAMES, 'options')
  const { agentName, ...flow } = options
  return runDeviceFlow({
    ...flow,
    clock: client.clock,
    emit: (event) => client.emit(event),
    operation: pollDeviceToken.id,
    async requestCode(signal) {
      const body = agentName === undefined ? {} : { agent_name: agentName }
      const code = await client.send(createDeviceCode, { body }, { signal })
      return { ...code, expires_in: code.expires_in ?? DEFAULT_LIFETIME_SECONDS }
    },
    async pollToken(device_code, signal) {
      const token = await client
        .send(pollDeviceToken, { body: { device_code } }, { ...REPORT_DRIFT_ONLY, signal })
        .catch((error: unknown) => {
          // The documentation doesn't say with which status the key is sent, so a body with the fields of a
          // `DeviceToken` is accepted with any status.
          const body = bodyOf(error)
          if (isDeviceToken(body)) return body
          throw error
        })
      return { error: token.error, key: token.api_key, keyPrefix: token.key_prefix }
    },
  })
}

/** Returns the response body that an error contains. The body may contain the key. */
function bodyOf(error: unknown): unknown {
  if (ApiError.is(error)) return error.body
  if (SubmissionUncertainError.is(error)) return bodyOf(error.cause)
  if (!UnexpectedContentError.is(error)) return undefined
  try {
    return JSON.parse(error.text)
  } catch {
    return undefined
  }
}

function isDeviceToken(body: unknown): body is DeviceToken {
  return (
    typeof body === 'object' && body !== null && 'api_key' in body && 'error' in body && 'key_prefix' in body
  )
}
