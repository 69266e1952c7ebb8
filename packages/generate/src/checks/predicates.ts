/**
 * The checks that zod lacks, or defines differently from JSON Schema. The generator copies the functions that a service
 * needs, as they are here, into its predicates.gen.ts, and those that quick checks use into the checks.gen.ts of its
 * client. So each function uses only what is in this file.
 */

/** Bytes to send: the path of a file, bytes, a Blob or a stream; or one of these with its name, type and length. */
export function isBinaryInput(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true
  if (typeof value !== 'object' || value === null) return false
  // A file as the pickers of React Native return it.
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
  // Test environments and frames have their own classes, so a value is recognized by what it can do.
  if (ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]')
    return true
  const { size, slice, getReader } = value as { size?: unknown; slice?: unknown; getReader?: unknown }
  const isBlob = typeof size === 'number' && typeof slice === 'function'
  return isBlob || Symbol.asyncIterator in value || typeof getReader === 'function'
}

/** Bytes that were received. */
export function isBlob(value: unknown): boolean {
  return value instanceof Blob
}

/** The bytes of one message. */
export function isUint8Array(value: unknown): boolean {
  return value instanceof Uint8Array
}

/** Whether a value is there. JSON has no undefined. */
export function isPresent(value: unknown): boolean {
  return value !== undefined
}

/** A whole number of any size, as in JSON Schema: 1.0 and 1e300 count too. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value)
}

/** A whole number of 32 bits with a sign. */
export function isInt32(value: number): boolean {
  return (value | 0) === value
}

/** Whether a division leaves no rest, in decimal numbers: 19.99 is a multiple of 0.01, though not in binary ones. */
export function isMultipleOf(step: number): (value: number) => boolean {
  return (value) => {
    if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0
    if (!Number.isFinite(value)) return false
    const places = Math.max(decimalsOf(value), decimalsOf(step))
    return shifted(value, places) % shifted(step, places) === 0n
  }
}

/** The number of digits after the point. */
function decimalsOf(value: number): number {
  const [digits = '', exponent] = value.toExponential().split('e')
  return Math.max(0, digits.replace(/^[^.]*\.?/, '').length - Number(exponent))
}

/** A number with its point moved to the right. */
function shifted(value: number, places: number): bigint {
  const [digits = '', exponent] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(places + Number(exponent) - fraction.length)
}

/** A length in characters of Unicode (code points), as JSON Schema counts, not in UTF-16 code units. */
export function hasMinCodePoints(least: number): (value: string) => boolean {
  return (value) => value.length >= least && (value.length >= least * 2 || codePoints(value) >= least)
}

/** A length in characters of Unicode (code points), as JSON Schema counts, not in UTF-16 code units. */
export function hasMaxCodePoints(most: number): (value: string) => boolean {
  return (value) => value.length <= most || (value.length <= most * 2 && codePoints(value) <= most)
}

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

/** Whether no two items are equal, as JSON compares values: the order of names in an object does not count. */
export function hasUniqueItems(value: readonly unknown[]): boolean {
  return new Set(value.map((item) => JSON.stringify(item, sortedNames))).size === value.length
}

function sortedNames(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
}

/** Whether an object has at least so many properties. */
export function hasMinProperties(least: number): (value: object) => boolean {
  return (value) => Object.keys(value).length >= least
}

/** Whether an object has at most so many properties. */
export function hasMaxProperties(most: number): (value: object) => boolean {
  return (value) => Object.keys(value).length <= most
}

/** Whether at least one of these properties is missing. */
export function lacksOneOf(...names: readonly string[]): (value: object) => boolean {
  return (value) => names.some((name) => (value as Record<string, unknown>)[name] === undefined)
}

/** A UUID of any version, in upper or lower case. RFC 9562. */
export function isUuid(value: string): boolean {
  return /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
}

/** A calendar date: 2026-02-28. RFC 3339, full-date. */
export function isDate(value: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return days !== undefined && day >= 1 && day <= days
}

/** A time stamp with Z or an offset. RFC 3339, date-time; a leap second only where one can be. */
export function isDateTime(value: string): boolean {
  // The ordinary form, which needs no look at the calendar or at leap seconds.
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

/** An absolute address with its scheme. RFC 3986, read as Ajv does: something must follow the scheme. */
export function isUri(value: string): boolean {
  // The ordinary form; the whole grammar is compiled only when something else comes.
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
