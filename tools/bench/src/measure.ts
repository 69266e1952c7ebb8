/** The median of a set of measurements, and how far they spread: half of them lie between the two quartiles. */
export interface Spread {
  readonly lowerQuartile: number
  readonly median: number
  readonly upperQuartile: number
}

export type Column = readonly number[]

/**
 * Returns the value below which the given fraction of the measurements lies, interpolated between two measurements.
 *
 * @param part - The fraction, from 0 (the smallest measurement) to 1 (the largest).
 * @throws RangeError if there are no measurements.
 */
export function quantile(values: Column, part: number): number {
  if (values.length === 0) throw new RangeError('no measurements to summarize')
  const sorted = values.toSorted((left, right) => left - right)
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] as number
  const above = sorted[Math.ceil(place)] as number
  return below + (above - below) * (place - Math.floor(place))
}

/** @throws RangeError if there are no measurements. */
export function median(values: Column): number {
  return quantile(values, 0.5)
}

/** @throws RangeError if there are no measurements. */
export function spread(values: Column): Spread {
  return {
    lowerQuartile: quantile(values, 0.25),
    median: median(values),
    upperQuartile: quantile(values, 0.75),
  }
}

/**
 * Returns the subject's speed as a multiple of the base's, from the times of each round. The base is the subject that
 * the others are compared with.
 */
export function speed(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => other / own)
}

/** Returns the subject's cost as a multiple of the base's, compared within each round. */
export function cost(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => own / other)
}

/**
 * Like {@link cost}, but first subtracts `floor` from the subject and from the base. `floor` is the cost that they
 * have in common, such as the start of Node.
 */
export function costOver(floor: Column, subject: Column, base: Column): Spread {
  return paired([floor, subject, base], ([under = 0, own = 0, other = 0]) => (own - under) / (other - under))
}

/** Returns how far the subject exceeds the base within each round, in the unit of the measurements. */
export function difference(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => own - other)
}

/** Compares measurements of the same round. */
function paired(columns: readonly Column[], combine: (row: readonly number[]) => number): Spread {
  const lengths = new Set(columns.map((column) => column.length))
  if (lengths.size !== 1) throw new RangeError('the subjects were not measured in the same rounds')
  const [first = []] = columns
  return spread(first.map((_, round) => combine(columns.map((column) => column[round] as number))))
}

export interface Rounds {
  readonly rounds: number
  /** The time after which no further round starts. The first round always runs. Default: no limit. */
  readonly limitMs?: number
  /** The name of the row or figure. */
  readonly what: string
  readonly progress: (text: string) => void
  /** Returns the time in milliseconds. Default: the real time. */
  readonly now?: () => number
}

/**
 * Measures the subjects in turn, round after round (A B C A B C), so that other load on the machine affects all of
 * them equally.
 */
export async function interleave<Subject, Result>(
  subjects: ReadonlyMap<string, Subject>,
  measure: (subject: Subject, name: string) => Promise<Result> | Result,
  { rounds, limitMs = Infinity, what, progress, now = () => performance.now() }: Rounds,
): Promise<Map<string, Result[]>> {
  const results = new Map<string, Result[]>([...subjects.keys()].map((name) => [name, []]))
  const startedAt = now()
  for (let round = 0; round < rounds && (round === 0 || now() - startedAt < limitMs); round++) {
    progress(`${what}, round ${round + 1} of ${rounds}`)
    for (const [name, subject] of subjects) results.get(name)?.push(await measure(subject, name))
  }
  return results
}
