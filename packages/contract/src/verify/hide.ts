import type { Credentials } from '../oracle/security.ts'
import { hiderOf } from '../recorded/credentials.ts'
import type { VerifyCheck } from './report.ts'

/** Makes a function that removes credentials from text: a service may put them into a status, a header or an address. */
export function hider(credentials: Credentials = {}): (text: string) => string {
  // The password of `user:password` is a secret of its own.
  return hiderOf(
    Object.values(credentials).flatMap((one) => [one, ...(/^[^:]*:(.{8,})$/s.exec(one)?.slice(1) ?? [])]),
  )
}

/** The checks without the credentials in their reasons, and without control characters. */
export function hidden(
  checks: readonly VerifyCheck[],
  without: (text: string) => string,
): readonly VerifyCheck[] {
  const shown = (text: string): string => {
    const kept = without(text).replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
    return kept.length > MAX_CHARACTERS ? `${kept.slice(0, MAX_CHARACTERS)}...` : kept
  }
  return checks.map((check) => ({
    ...check,
    reasons: check.reasons.map(shown),
    findings: check.findings.map((one) => ({ ...one, at: shown(one.at), message: shown(one.message) })),
  }))
}

/** The longest reason. Beyond a sentence or two, it is text of the service. */
const MAX_CHARACTERS = 500
