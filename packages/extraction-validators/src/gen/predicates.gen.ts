// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** Bytes to send: the path of a file, bytes, a Blob or a stream; or one of these with what is known about it. */
export function isBinaryInput(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true
  if (typeof value !== 'object' || value === null || !('content' in value)) return false
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
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return true
  if (typeof Blob === 'function' && value instanceof Blob) return true
  return Symbol.asyncIterator in value || ('getReader' in value && typeof value.getReader === 'function')
}

/** Whether a value is there. JSON has no undefined. */
export function isPresent(value: unknown): boolean {
  return value !== undefined
}

/** A whole number of any size, as in JSON Schema: 1.0 is one, and so is 1e300. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value)
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
