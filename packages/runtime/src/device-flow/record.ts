import { ContractDriftError, type Issue } from '../core/errors.ts'

/** The response to the request for a device code (RFC 8628, section 3.2). @public */
export interface DeviceCodeRecord {
  /** Secret: it is only used for polling and never shown. */
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete?: string | undefined
  /** The lifetime of both codes, in seconds. */
  readonly expires_in: number
  /** The shortest time between two polls, in seconds. Default: 5, as in RFC 8628. */
  readonly interval?: number | undefined
}

/** The information to show the user. It contains no secret. @public */
export interface DevicePrompt {
  readonly user_code: string
  readonly verification_uri: string
  /** The same page with the code filled in. Prefer it if present. */
  readonly verification_uri_complete?: string
  readonly expires_in: number
  /** When the codes expire, in milliseconds since the Unix epoch, counted from the receipt of the record. */
  readonly expiresAtMs: number
}

/** RFC 8628, section 3.2. */
const DEFAULT_INTERVAL_S = 5
/** The shortest interval, whatever the record asks for; the client's own choice. */
const MIN_INTERVAL_S = 1

/** A checked record, with the time of its receipt. */
export interface DeviceCode {
  readonly secret: string
  readonly prompt: DevicePrompt
  readonly intervalMs: number
  /** On the monotonic clock. */
  readonly receivedAt: number
  readonly expiresAt: number
}

/**
 * Checks a record.
 *
 * @throws ContractDriftError that names the fields, without their values.
 */
export function readDeviceCode(
  record: DeviceCodeRecord,
  receivedAt: number,
  nowMs: number,
  operation: string | undefined,
): DeviceCode {
  const issues: Issue[] = []
  const need = (name: keyof DeviceCodeRecord, holds: boolean, what: string): void => {
    if (!holds) issues.push({ path: `/${name}`, reason: `is not ${what}` })
  }
  const given: Partial<Record<keyof DeviceCodeRecord, unknown>> = record ?? {}
  for (const name of ['device_code', 'user_code', 'verification_uri'] as const) {
    need(name, typeof given[name] === 'string' && given[name] !== '', 'a string')
  }
  const complete = given.verification_uri_complete
  need('verification_uri_complete', complete === undefined || typeof complete === 'string', 'a string')
  need('expires_in', isFinite(given.expires_in) && given.expires_in > 0, 'a number of seconds')
  const { interval = DEFAULT_INTERVAL_S } = given
  need('interval', isFinite(interval) && interval >= 0, 'a number of seconds')
  if (issues.length > 0) {
    throw new ContractDriftError(
      'The response with the device code is not what the contract says: ' +
        issues.map(({ path, reason }) => `${path} ${reason}`).join(', ') +
        '. No authorization was started.',
      issues,
      undefined,
      { operation },
    )
  }
  const lifetimeMs = record.expires_in * 1000
  const prompt = {
    user_code: record.user_code,
    verification_uri: record.verification_uri,
    expires_in: record.expires_in,
    expiresAtMs: nowMs + lifetimeMs,
  }
  return {
    secret: record.device_code,
    prompt:
      record.verification_uri_complete === undefined
        ? prompt
        : { ...prompt, verification_uri_complete: record.verification_uri_complete },
    intervalMs: Math.max(MIN_INTERVAL_S, record.interval ?? DEFAULT_INTERVAL_S) * 1000,
    receivedAt,
    expiresAt: receivedAt + lifetimeMs,
  }
}

function isFinite(value: unknown): value is number {
  return Number.isFinite(value)
}
