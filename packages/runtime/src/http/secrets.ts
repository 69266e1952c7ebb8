import { createScrub, type Scrub } from '../core/redact.ts'
import { type Credential, latest } from './credential.ts'
import type { Plan } from './prepare.ts'

/** The length of the start of a response that is kept for `SubmissionUncertainError.received`. */
export const RECEIVED_LENGTH = 4_096

/**
 * Creates a scrub for strings about one call: it knows the credential, and every value in the request and the response
 * that the contract marks as secret.
 */
export function scrubFor(plan: Plan, credential: string | undefined, ...values: readonly unknown[]): Scrub {
  return collectSecrets(plan.operation.secrets, credential, ...values)
}

/** Like `scrubFor`, for secrets by their names. */
export function collectSecrets(
  names: readonly string[],
  credential: string | undefined,
  ...values: readonly unknown[]
): Scrub {
  const found: string[] = []
  if (credential !== undefined) found.push(credential)
  for (const value of values) collect(value, names, found, 0)
  return createScrub(found)
}

function collect(value: unknown, names: readonly string[], found: string[], depth: number): void {
  if (names.length === 0 || depth > 8 || typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    if (names.includes(name)) addTexts(item, found, depth)
    else collect(item, names, found, depth + 1)
  }
}

/** All values under a secret name are secret. */
function addTexts(value: unknown, found: string[], depth: number): void {
  if (typeof value === 'string') found.push(value)
  else if (typeof value === 'number' || typeof value === 'bigint') found.push(String(value))
  else if (typeof value === 'object' && value !== null && depth <= 8) {
    for (const item of Object.values(value)) addTexts(item, found, depth + 1)
  }
}

/** Removes the credentials of a client from a foreign string. */
export function credentialScrub({
  credentials,
}: {
  readonly credentials: ReadonlyMap<string, Credential>
}): Scrub {
  const values = [...credentials.values()].map((credential) =>
    typeof credential.value === 'string' ? credential.value : latest.get(credential),
  )
  return createScrub(values.filter((value) => value !== undefined))
}
