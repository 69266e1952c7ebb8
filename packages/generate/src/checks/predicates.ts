/**
 * Functions for checks that zod lacks, or defines differently from JSON Schema. The generator copies them into
 * predicates.gen.ts for zod schemas, and into checks.gen.ts for quick checks, which don't use zod. They are copied
 * unchanged, so they may use only what is in this file.
 */

/**
 * Returns whether a value can be sent as bytes: a file path, bytes, a Blob or a stream, or an object with one of
 * these as `content`.
 */
export function isBinaryInput(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true
  if (typeof value !== 'object' || value === null) return false
  // The file pickers of React Native return objects with a `uri`.
  if ('uri' in value) return typeof value.uri === 'string'
  if (!('content' in value)) return false
  const { content, filename, contentType, sizeBytes } = value as Record<string, unknown>
  return (
    (typeof content === 'string' || isBytes(content)) &&
    (filename === undefined || typeof filename === 'string') &&
    (contentType === undefined || typeof contentType === 'string') &&
    (sizeBytes === undefined || (typeof sizeBytes === 'number' && sizeBytes >= 0))
  )
}

function isBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  // `instanceof` would return false for objects from test environments and iframes, which have their own classes.
  if (ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]')
    return true
  const { size, slice, getReader } = value as { size?: unknown; slice?: unknown; getReader?: unknown }
  const isBlob = typeof size === 'number' && typeof slice === 'function'
  return isBlob || Symbol.asyncIterator in value || typeof getReader === 'function'
}

/** Returns whether a value is a Blob. Clients return the bytes of a response as a Blob. */
export function isBlob(value: unknown): boolean {
  return value instanceof Blob
}

/** Returns whether a value is a Uint8Array. Clients return the bytes of a WebSocket message as a Uint8Array. */
export function isUint8Array(value: unknown): boolean {
  return value instanceof Uint8Array
}

/** Returns whether a value isn't undefined, which JSON can't contain. */
export function isPresent(value: unknown): boolean {
  return value !== undefined
}

/** Returns whether a number is an integer. Unlike zod's `int()`, this accepts integers of any size, such as 1e300. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value)
}

export function isInt32(value: number): boolean {
  return (value | 0) === value
}

/**
 * Tests whether a number is a multiple of `step`, in decimal arithmetic: 19.99 is a multiple of 0.01, although the `%`
 * operator finds a remainder.
 */
export function isMultipleOf(step: number): (value: number) => boolean {
  return (value) => {
    if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0
    if (!Number.isFinite(value)) return false
    const places = Math.max(decimalsOf(value), decimalsOf(step))
    return shifted(value, places) % shifted(step, places) === 0n
  }
}

/** Returns the number of digits after the decimal point. */
function decimalsOf(value: number): number {
  const [digits = '', exponent] = value.toExponential().split('e')
  return Math.max(0, digits.replace(/^[^.]*\.?/, '').length - Number(exponent))
}

/** Returns `value` multiplied by 10 to the power of `places`. */
function shifted(value: number, places: number): bigint {
  const [digits = '', exponent] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(places + Number(exponent) - fraction.length)
}

/** Tests whether a string has at least `least` characters. As in JSON Schema, a character is a Unicode code point. */
export function hasMinCodePoints(least: number): (value: string) => boolean {
  return (value) => value.length >= least && (value.length >= least * 2 || codePoints(value) >= least)
}

/** Tests whether a string has at most `most` characters. As in JSON Schema, a character is a Unicode code point. */
export function hasMaxCodePoints(most: number): (value: string) => boolean {
  return (value) => value.length <= most || (value.length <= most * 2 && codePoints(value) <= most)
}

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

/** Returns whether no two items are equal as JSON. */
export function hasUniqueItems(value: readonly unknown[]): boolean {
  return new Set(value.map((item) => JSON.stringify(item, sortedNames))).size === value.length
}

function sortedNames(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
}

export function hasMinProperties(least: number): (value: object) => boolean {
  return (value) => Object.keys(value).length >= least
}

export function hasMaxProperties(most: number): (value: object) => boolean {
  return (value) => Object.keys(value).length <= most
}

/** Tests whether at least one of these properties is missing. */
export function lacksOneOf(...names: readonly string[]): (value: object) => boolean {
  return (value) => names.some((name) => (value as Record<string, unknown>)[name] === undefined)
}

/** Returns whether a string is a UUID (RFC 9562) of any version, in upper or lower case, also after `urn:uuid:`. */
export function isUuid(value: string): boolean {
  return /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
}

/** Returns whether a string is a calendar date such as 2026-02-28 (RFC 3339, `full-date`). */
export function isDate(value: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return days !== undefined && day >= 1 && day <= days
}

/**
 * Returns whether a string is a date and time with `Z` or an offset (RFC 3339, `date-time`). A leap second is accepted
 * only at the end of a day in UTC.
 */
export function isDateTime(value: string): boolean {
  // Most values match this pattern. Days up to the 28th exist in every month, so the pattern needs no calendar.
  if (
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d+)?Z$/.test(value)
  )
    return true
  const match = /^(.{10})[t\s](\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:z|([+-])(\d\d)(?::?(\d\d))?)$/i.exec(value)
  if (!match || !isDate(match[1] ?? '')) return false
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])]
  const sign = match[5] === '-' ? -1 : 1
  const [offsetHours, offsetMinutes] = [Number(match[6] ?? 0), Number(match[7] ?? 0)]
  if (offsetHours > 23 || offsetMinutes > 59) return false
  if (hour <= 23 && minute <= 59 && second < 60) return true
  const utcMinute = minute - offsetMinutes * sign
  const utcHour = hour - offsetHours * sign - (utcMinute < 0 ? 1 : 0)
  return second < 61 && (utcHour === 23 || utcHour === -1) && (utcMinute === 59 || utcMinute === -1)
}

let uri: RegExp | undefined

/** Returns whether a string is a URI with a scheme (RFC 3986). As in Ajv, something must follow the scheme. */
export function isUri(value: string): boolean {
  // Most URIs match this pattern. The pattern for the whole grammar is compiled only when it is needed.
  if (
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~!$&'()*+,;=:@/-]*)?(?:\?[\w.~!$&'()*+,;=:@/?-]*)?$/i.test(
      value,
    )
  )
    return true
  uri ??= uriExpression()
  return uri.test(value)
}

function uriExpression(): RegExp {
  const escaped = '%[0-9a-f]{2}'
  const plain = "a-z0-9\\-._~!$&'()*+,;="
  const character = `(?:[${plain}:@]|${escaped})`
  const byte = '(?:25[0-5]|2[0-4]\\d|[01]?\\d\\d?)'
  const group = '[0-9a-f]{1,4}'
  const last = `(?:${group}:${group}|(?:${byte}\\.){3}${byte})`
  const upTo = (count: number) => `(?:(?:${group}:){0,${count}}${group})?::`
  const shortened = [0, 1, 2, 3, 4].map((count) => `${upTo(count)}(?:${group}:){${4 - count}}${last}`)
  const ipv6 = [
    `(?:${group}:){6}${last}`,
    `::(?:${group}:){5}${last}`,
    ...shortened,
    `${upTo(5)}${group}`,
    upTo(6),
  ]
  const host = `(?:\\[(?:${ipv6.join('|')}|v[0-9a-f]+\\.[${plain}:]+)\\]|(?:[${plain}]|${escaped})*)`
  const authority = `(?:(?:[${plain}:]|${escaped})*@)?${host}(?::\\d*)?`
  const segments = `(?:/${character}*)*`
  const path = `(?:/?/${authority}${segments}|/(?:${character}+${segments})?|${character}+${segments})`
  const tail = `(?:[${plain}:@/?]|${escaped})*`
  return new RegExp(`^[a-z][a-z0-9+\\-.]*:${path}(?:\\?${tail})?(?:#${tail})?$`, 'i')
}
