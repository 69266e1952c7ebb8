const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Reads a `Retry-After` header as milliseconds from now (RFC 9110, section 10.2.3): seconds, or an HTTP date.
 * Gives `undefined` for anything else.
 *
 * @param date The answer's own `Date`: a date is measured from it, since the two clocks may disagree.
 * @public
 */
export function parseRetryAfter(
  value: string | undefined,
  date: string | undefined,
  nowMs: number,
): number | undefined {
  const text = value?.trim()
  if (text === undefined || text === '') return undefined
  if (/^\d+$/.test(text)) {
    const ms = Number(text) * 1000
    return Number.isSafeInteger(ms) ? ms : undefined
  }
  const untilMs = httpDate(text)
  if (untilMs === undefined) return undefined
  const fromMs = (date === undefined ? undefined : httpDate(date.trim())) ?? nowMs
  return Math.max(0, untilMs - fromMs)
}

function httpDate(text: string): number | undefined {
  if (!IMF_FIXDATE.test(text)) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}
