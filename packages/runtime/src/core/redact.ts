/** The placeholder for a value that must not be shown. @public */
export const REDACTED = '[redacted]'

/** Replaces every known secret in a string. @public */
export type Scrub = (text: string) => string

/** Shorter secrets aren't replaced. They occur by chance so often that replacing them would make text unreadable. */
const MIN_SECRET_LENGTH = 4

/**
 * Makes a {@link Scrub} that replaces the given secrets, in plain, percent-encoded and JSON-escaped form.
 *
 * A scrub is the second line of defense, for strings that come from elsewhere, such as an error of the network library
 * or an excerpt of a response. The first line of defense is an allowlist of the properties that may be shown.
 *
 * @public
 */
export function createScrub(secrets: readonly string[]): Scrub {
  const needles = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue
    needles.add(secret)
    needles.add(encodeForUrl(secret))
    needles.add(JSON.stringify(secret).slice(1, -1))
  }
  // Longest first, so that a secret that contains another secret is replaced as a whole.
  const ordered = [...needles].sort((a, b) => b.length - a.length)
  if (ordered.length === 0) return (text) => text
  return (text) => {
    let clean = text
    for (const needle of ordered) clean = clean.replaceAll(needle, REDACTED)
    return clean
  }
}

function encodeForUrl(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return text // A lone surrogate has no encoded form.
  }
}
