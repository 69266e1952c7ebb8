import { spread, type Spread } from './stats.ts'

/** The measurements of a subject, one for each round. */
export type Column = readonly number[]

/** How many times as fast as the base: 1 is the same, more is better. Taken round by round. */
export function speed(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => other / own)
}

/** How many times what the base costs: 1 is the same, less is better. Taken round by round. */
export function cost(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => own / other)
}

/** The cost of both beyond a floor that both stand on, such as starting Node at all. Taken round by round. */
export function costOver(floor: Column, subject: Column, base: Column): Spread {
  return paired([floor, subject, base], ([under = 0, own = 0, other = 0]) => (own - under) / (other - under))
}

/** How much more than the base, in its own unit. Taken round by round. */
export function difference(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => own - other)
}

/**
 * Compares what was measured in the same round, so that a machine that slows down for a while slows both sides
 * down. Comparing two medians would lose that.
 */
function paired(columns: readonly Column[], combine: (row: readonly number[]) => number): Spread {
  const lengths = new Set(columns.map((column) => column.length))
  if (lengths.size !== 1) throw new RangeError('the subjects were not measured in the same rounds')
  const [first = []] = columns
  return spread(first.map((_, round) => combine(columns.map((column) => column[round] as number))))
}
