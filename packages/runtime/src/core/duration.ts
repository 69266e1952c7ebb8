import { OptionsError } from './errors.ts'

/** A span of time: milliseconds as a number, or a number with a unit, as in `'250ms'`, `'30s'`, `'5m'`, `'2h'`, `'1d'`. @public */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Reads a {@link Duration} as milliseconds.
 *
 * @param option The name of the option that it came from, for the error.
 * @throws OptionsError when it is not a finite, positive span of time.
 * @public
 */
export function parseDuration(value: Duration, option = 'deadline'): number {
  const ms = typeof value === 'string' ? parseText(value) : value
  if (typeof ms === 'number' && Number.isFinite(ms) && ms > 0) return ms
  throw new OptionsError(
    option,
    `\`${option}\` is not a duration.`,
    "Pass milliseconds above 0, or a string such as '250ms', '30s', '5m', '2h' or '1d'.",
  )
}

function parseText(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  return match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : Number.NaN
}
