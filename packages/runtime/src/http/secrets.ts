import { createScrub, type Scrub } from '../core/redact.ts'
import { type Credential, latest, partsOf } from './credential.ts'
import type { Call } from './call.ts'

/** `SubmissionUncertainError.received` keeps this many characters from the start of a response. */
export const RECEIVED_LENGTH = 4_096

/**
 * Creates a scrub: a function that removes the secrets of one call from a string. These secrets are the credentials
 * and, in the request and the response, every value that the contract marks as secret.
 */
export function scrubFor({ plan, secrets, input }: Call, data?: unknown): Scrub {
  return collectSecrets(plan.operation.secrets, secretsOf(plan.credentials, secrets), input, data)
}

/** Returns the values of the credentials, and the secrets inside these values, such as a decoded password. */
export function secretsOf(
  credentials: readonly Credential[],
  values: readonly (string | undefined)[],
): readonly string[] {
  return values.flatMap((value, index) =>
    value === undefined ? [] : [value, ...partsOf(credentials[index], value)],
  )
}

/** Creates a scrub that removes the `known` secrets, and all members of `values` whose names are in `names`. */
export function collectSecrets(
  names: readonly string[],
  known: readonly string[],
  ...values: readonly unknown[]
): Scrub {
  const found = [...known]
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

function addTexts(value: unknown, found: string[], depth: number): void {
  if (typeof value === 'string') found.push(value)
  else if (typeof value === 'number' || typeof value === 'bigint') found.push(String(value))
  else if (typeof value === 'object' && value !== null && depth <= 8) {
    for (const item of Object.values(value)) addTexts(item, found, depth + 1)
  }
}

/** Creates a scrub that removes only a client's credentials. */
export function credentialScrub({
  credentials,
}: {
  readonly credentials: ReadonlyMap<string, Credential>
}): Scrub {
  const all = [...credentials.values()]
  const values = all.map((credential) =>
    typeof credential.value === 'string' ? credential.value : latest.get(credential),
  )
  return createScrub(secretsOf(all, values))
}
