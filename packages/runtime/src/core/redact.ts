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

/** The properties of a foreign error that may be kept: they name places and numbers, never contents. */
const KEPT_PROPERTIES = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const

/**
 * A copy of a foreign error that is safe to carry as a `cause`: its name, its scrubbed message and stack, and
 * the few properties that are known to hold no contents. Errors for which `keep` says so pass unchanged.
 *
 * @public
 */
export function safeCause(
  cause: unknown,
  scrub: Scrub = (text) => text,
  keep: (cause: object) => boolean = () => false,
  depth = 0,
): unknown {
  if (cause === undefined || cause === null) return cause
  if (typeof cause !== 'object') return typeof cause === 'string' ? scrub(cause) : `[${typeof cause}]`
  if (keep(cause)) return cause
  if (!(cause instanceof Error)) return `[${Object.prototype.toString.call(cause).slice(8, -1)}]`
  const copy = new Error(scrub(String(cause.message)))
  define(copy, 'name', scrub(String(cause.name)))
  define(copy, 'stack', scrub(String(cause.stack ?? '')))
  const source = cause as unknown as Record<string, unknown>
  for (const property of KEPT_PROPERTIES) {
    const value = source[property]
    if (typeof value === 'number') define(copy, property, value, true)
    if (typeof value === 'string') define(copy, property, scrub(value), true)
  }
  if (depth < 4 && cause.cause !== undefined) {
    define(copy, 'cause', safeCause(cause.cause, scrub, keep, depth + 1))
  }
  return copy
}

function define(target: Error, name: string, value: unknown, enumerable = false): void {
  Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true })
}
