const FORM =
  /^([+-]\d{6}|\d{4})-?(?:W(\d\d)-?(\d)|(\d\d)-?(\d\d)|(\d{3}))(?:[Tt ](\d\d)(?::?(\d\d)(?::?(\d\d))?)?(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/

const DAY_MS = 86_400_000

/**
 * Converts an ISO 8601 date or timestamp to epoch milliseconds. Returns NaN if the string is neither. A time without
 * a zone is in UTC. A date without a time is midnight UTC.
 */
export function epochMsOf(text: string): number {
  const match = FORM.exec(text)
  if (!match) return Number.NaN
  const [, years, week, weekday, month, day, ordinal, hour, minute, second, fraction, sign] = match
  const year = Number(years)
  const dateMs =
    week === undefined
      ? dayOf(year, Number(month ?? 1), Number(day ?? ordinal))
      : firstMonday(year) + ((Number(week) - 1) * 7 + Number(weekday) - 1) * DAY_MS
  // A fraction applies to the smallest unit in the string: `T12.5` means 12:30.
  const unitMs = second !== undefined ? 1_000 : minute !== undefined ? 60_000 : 3_600_000
  const timeMs = (Number(hour ?? 0) * 3_600 + Number(minute ?? 0) * 60 + Number(second ?? 0)) * 1_000
  const offsetMs = (Number(match[12] ?? 0) * 60 + Number(match[13] ?? 0)) * 60_000
  return (
    dateMs +
    timeMs +
    Math.floor(Number(`0.${fraction ?? 0}`) * unitMs) +
    (sign === '-' ? offsetMs : -offsetMs)
  )
}

/** Returns midnight UTC of a day. Avoids `Date.UTC`, which reads the years 0 to 99 as 1900 to 1999. */
function dayOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day)
}

/** Returns the Monday of a year's first ISO week, which is the week that contains January 4. */
function firstMonday(year: number): number {
  const fourth = dayOf(year, 1, 4)
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS
}
