/** The middle of a set of measurements and how far they spread: half of them lie between the quartiles. */
export interface Spread {
  readonly lowerQuartile: number
  readonly median: number
  readonly upperQuartile: number
}

export type Column = readonly number[]

/**
 * The value below which this part of the measurements lies, interpolated between two of them.
 *
 * @param part - From 0 (the smallest) to 1 (the largest).
 * @throws RangeError without measurements.
 */
export function quantile(values: Column, part: number): number {
  if (values.length === 0) throw new RangeError('no measurements to summarize')
  const sorted = values.toSorted((left, right) => left - right)
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] as number
  const above = sorted[Math.ceil(place)] as number
  return below + (above - below) * (place - Math.floor(place))
}

/** @throws RangeError without measurements. */
export function median(values: Column): number {
  return quantile(values, 0.5)
}

/** @throws RangeError without measurements. */
export function spread(values: Column): Spread {
  return {
    lowerQuartile: quantile(values, 0.25),
    median: median(values),
    upperQuartile: quantile(values, 0.75),
  }
}

/** How many times as fast as the base, round by round: 1 is the same, more is better. */
export function speed(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => other / own)
}

/** How many times what the base costs, round by round: 1 is the same, less is better. */
export function cost(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => own / other)
}

/** Like {@link cost}, after subtracting `floor` from both: what they have in common, such as the start of Node. */
export function costOver(floor: Column, subject: Column, base: Column): Spread {
  return paired([floor, subject, base], ([under = 0, own = 0, other = 0]) => (own - under) / (other - under))
}

/** How much more than the base, in the unit of the measurements, round by round. */
export function difference(subject: Column, base: Column): Spread {
  return paired([subject, base], ([own = 0, other = 0]) => own - other)
}

/**
 * Compares measurements of the same round, so that a machine that slows down for a while affects both sides. Comparing two
 * medians would lose that.
 */
function paired(columns: readonly Column[], combine: (row: readonly number[]) => number): Spread {
  const lengths = new Set(columns.map((column) => column.length))
  if (lengths.size !== 1) throw new RangeError('the subjects were not measured in the same rounds')
  const [first = []] = columns
  return spread(first.map((_, round) => combine(columns.map((column) => column[round] as number))))
}

export interface Rounds {
  readonly rounds: number
  /** No further round starts after this time. The first round always runs. Default: no limit. */
  readonly limitMs?: number
  /** The name of the row or the figure, which {@link progress} shows. */
  readonly what: string
  /** Shows the number of each round. */
  readonly progress: (text: string) => void
  /** Returns the time in milliseconds. Default: the real time. */
  readonly now?: () => number
}

/**
 * Measures the subjects in turn, round after round: A B C A B C. So everything else that the machine does affects all
 * subjects equally, and each round can be compared within itself.
 *
 * @returns The results of each subject, in the order of the rounds. All subjects have the same number of results.
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
