export interface Mutant {
  readonly file: string
  readonly line: number
  readonly mutator: string
  /** The line of code at which the mutant starts, trimmed. */
  readonly source: string
  readonly original: string
  readonly replacement: string
  readonly status: 'Killed' | 'Survived' | 'NoCoverage'
}

/** Returns a key of the mutant that stays the same in later runs, even if the mutant's line has moved. */
export function keyOf({
  file,
  source,
  mutator,
  original,
  replacement,
}: Omit<Mutant, 'status' | 'line'>): string {
  return [file, source, mutator, original, replacement].join('\n')
}

/**
 * A mutant that behaves as the original code does, and the reason why. The text of its line identifies it, because
 * line numbers change often.
 */
export interface Equivalent {
  readonly file: string
  readonly source: string
  readonly replacement: string
  readonly reason: string
}

/** The result of one folder. */
export interface Score {
  readonly killed: number
  readonly equivalent: number
  readonly survivors: readonly Mutant[]
  /** The percentage of killed mutants among those that aren't equivalent; 100 if all are equivalent. */
  readonly percent: number
  /** Outdated entries of `equivalents`: the code has changed, or a test now kills the mutant. */
  readonly unused: readonly Equivalent[]
}

/** A mutant that no test reaches counts as a survivor. */
export function score(mutants: readonly Mutant[], equivalents: readonly Equivalent[]): Score {
  const used = new Set<Equivalent>()
  const isEquivalent = (mutant: Mutant): boolean => {
    const found = equivalents.find(
      ({ file, source, replacement }) =>
        file === mutant.file && source === mutant.source && replacement === mutant.replacement,
    )
    if (found !== undefined) used.add(found)
    return found !== undefined
  }
  const killed = mutants.filter(({ status }) => status === 'Killed').length
  const alive = mutants.filter(({ status }) => status !== 'Killed')
  const survivors = alive.filter((mutant) => !isEquivalent(mutant))
  const counted = killed + survivors.length
  const files = new Set(mutants.map(({ file }) => file))
  return {
    killed,
    equivalent: alive.length - survivors.length,
    survivors,
    percent: counted === 0 ? 100 : (100 * killed) / counted,
    unused: equivalents.filter((each) => files.has(each.file) && !used.has(each)),
  }
}
