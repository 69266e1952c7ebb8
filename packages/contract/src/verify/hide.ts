import type { Credentials } from '../oracle/security.ts'
import { hiderOf } from '../recorded/credentials.ts'
import type { VerifyCheck } from './report.ts'

/** Returns a function that removes credentials from a string, since a service may repeat them in its responses. */
export function hider(credentials: Credentials = {}): (text: string) => string {
  // In `user:password`, the password alone is a secret, too.
  return hiderOf(
    Object.values(credentials).flatMap((one) => [one, ...(/^[^:]*:(.{8,})$/s.exec(one)?.slice(1) ?? [])]),
  )
}

/** Removes credentials and control characters from the strings in checks. */
export function hidden(
  checks: readonly VerifyCheck[],
  hideCredentials: (text: string) => string,
): readonly VerifyCheck[] {
  const shown = (text: string): string => {
    const kept = hideCredentials(text).replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
    return kept.length > MAX_CHARACTERS ? `${kept.slice(0, MAX_CHARACTERS)}...` : kept
  }
  return checks.map((check) => ({
    ...check,
    reasons: check.reasons.map(shown),
    findings: check.findings.map((one) => ({ ...one, at: shown(one.at), message: shown(one.message) })),
  }))
}

/** Longer reasons and findings are cut off. They can be long if they quote the service. */
const MAX_CHARACTERS = 500
