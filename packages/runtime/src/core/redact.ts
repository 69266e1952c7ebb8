/** The placeholder for a value that must not be shown. @public */
export const REDACTED = '[redacted]'

/** Replaces every known secret in a string. @public */
export type Scrub = (text: string) => string

/** Shorter values are too common: replacing them everywhere would make a string unreadable. */
const MIN_SECRET_LENGTH = 4

/**
 * Makes a {@link Scrub} for the given secret values, in their plain and their percent-encoded form.
 *
 * It is the second line of defense, for strings that come from elsewhere (an error of the network library, an excerpt
 * of a response). The first is that such strings pass only if they are on the allow-list.
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
  // Longest first: a secret that contains another must go as a whole.
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
