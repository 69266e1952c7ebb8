/** What stands in place of a value that must not be shown. @public */
export const REDACTED = '[redacted]'

/** Replaces every known secret in a text. @public */
export type Scrub = (text: string) => string

/** Below this length a value is too common to be found in a text without destroying it. */
const SHORTEST_SECRET = 4

/**
 * Makes a {@link Scrub} for the given secret values, in their plain and their percent-encoded form.
 *
 * It is the second line of defence, for texts that others wrote (an error of the network library, an excerpt
 * of an answer). The first is that such texts are only let through where they are on the allow-list.
 *
 * @public
 */
export function createScrub(secrets: readonly string[]): Scrub {
  const needles = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue
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
