// This file is separate from `retry.ts`. Otherwise, code that needs only the table of statuses in `retry.ts` would
// also load the date parser.

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})'
/** The three date formats of RFC 9110, section 5.6.7, in the order of the RFC. */
const DATE_FORMS: readonly RegExp[] = [
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(
    `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT$`,
  ),
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
]

/**
 * Converts a `Retry-After` header (RFC 9110, section 10.2.3) to milliseconds from now. The header can be any number
 * of seconds, or an HTTP date in any of its three forms. Returns `undefined` for anything else.
 *
 * Returns 0 if the header is 0 or a date in the past. The ordinary back-off then applies.
 *
 * @param date The `Date` header of the same response. A date in `value` is measured from this date, because the clocks
 *   of the service and the client may disagree.
 */
export function parseRetryAfter(
  value: string | undefined,
  date: string | undefined,
  nowMs: number,
): number | undefined {
  const text = value?.trim() ?? ''
  // The result is finite even if the number of seconds is too large for a double.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const untilMs = parseHttpDate(text, nowMs)
  if (untilMs === undefined) return undefined
  const fromMs = (date === undefined ? undefined : parseHttpDate(date.trim(), nowMs)) ?? nowMs
  return Math.max(0, untilMs - fromMs)
}

function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of DATE_FORMS) {
    const parts = form.exec(text)?.groups
    if (parts === undefined) continue
    const { year = '', month = '', day, hour, minute, second } = parts
    const fullYear = year.length === 2 ? centuryOf(Number(year), nowMs) : Number(year)
    const ms = Date.UTC(
      fullYear,
      MONTHS.indexOf(month),
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    )
    // Date.UTC turns February 31 into March 3, and 24:00 into the next day. So a date whose day changes is invalid,
    // unless a leap second (second 60) changes the day.
    const isDate = new Date(ms - (second === '60' ? 1000 : 0)).getUTCDate() === Number(day)
    return isDate && Number(minute) < 60 && Number(second) <= 60 ? ms : undefined
  }
  return undefined
}

/**
 * RFC 9110, section 5.6.7: a two-digit year that seems more than 50 years ahead means the most recent year in the
 * past that ends with these digits.
 */
function centuryOf(year: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear()
  const near = thisYear - (thisYear % 100) + year
  return near > thisYear + 50 ? near - 100 : near
}
