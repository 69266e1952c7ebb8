import type { Scrub } from '../core/redact.ts'

/** The maximum length of a reason in an error message. */
const MAX_LENGTH = 500
const MAX_DEPTH = 4
const MAX_ITEMS = 5
/** Where services put the reason for an error, the most common place first. */
const NAMES = [
  'message',
  'detail',
  'error_description',
  'error',
  'title',
  'reason',
  'errors',
  'description',
  'err_msg',
  'msg',
] as const

/**
 * The service's own reason in an error body, whatever its shape: `detail` as a string or as a list of `{ loc, msg }`,
 * `message` as a string or a list, `error`, or `title` and `detail` (RFC 9457). It is one line of at most 500
 * characters. It is used only in messages.
 *
 * @public
 */
export function reasonOf(body: unknown, scrub?: Scrub): string | undefined {
  const reason = find(body, 0)
  return reason === undefined ? undefined : oneLine(reason, scrub)
}

/** Prepares a foreign string for a message: one line, bounded, without control characters. */
export function oneLine(text: string, scrub: Scrub = (whole) => whole): string | undefined {
  // Secrets are removed before the string is truncated: half a secret would not be found.
  const flat = scrub(text)
    .slice(0, 4 * MAX_LENGTH)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
  if (flat === '') return undefined
  return flat.length > MAX_LENGTH ? `${flat.slice(0, MAX_LENGTH)}…` : flat
}

function find(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' || isMarkup(value) ? undefined : value
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return findInList(value, depth)
  const problem = value as Readonly<Record<string, unknown>>
  // RFC 9457: the title names the kind of problem, the detail this one.
  if (typeof problem['title'] === 'string' && typeof problem['detail'] === 'string') {
    return `${problem['title']}: ${problem['detail']}`
  }
  for (const name of NAMES) {
    const found = Object.hasOwn(problem, name) ? find(problem[name], depth + 1) : undefined
    if (found !== undefined) return placed(problem['loc'], found)
  }
  return undefined
}

function findInList(list: readonly unknown[], depth: number): string | undefined {
  const found = list
    .slice(0, MAX_ITEMS)
    .map((item) => find(item, depth + 1))
    .filter((item) => item !== undefined)
  if (found.length === 0) return undefined
  const more = list.length - MAX_ITEMS
  return found.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** The place in the request that the reason applies to: `body.file: field required`. */
function placed(location: unknown, reason: string): string {
  if (!Array.isArray(location)) return reason
  const place = location
    .slice(0, 8)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join('.')
  return place === '' ? reason : `${place}: ${reason}`
}

/** An HTML page isn't a reason. */
function isMarkup(text: string): boolean {
  return /^\s*</.test(text)
}
