/** Measures one subject once. */
export type Measure<Result> = () => Promise<Result> | Result

/** How long to go on. */
export interface Rounds {
  /** How many rounds at most. */
  readonly rounds: number
  /** No further round is begun after this time. One round is measured in any case. Default: no limit. */
  readonly limitMs?: number
  /** Told before each round how many are done. */
  readonly onRound?: (done: number) => void
  /** The time in milliseconds. Default: the host's. */
  readonly now?: () => number
}

/**
 * Measures the subjects in turn, round after round: A B C A B C. What the machine does besides then meets all of
 * them alike, and each round can be compared within itself.
 *
 * @returns What each subject measured, in the order of the rounds: as many for each.
 */
export async function interleave<Name extends string, Result>(
  subjects: ReadonlyMap<Name, Measure<Result>>,
  { rounds, limitMs = Infinity, onRound, now = () => performance.now() }: Rounds,
): Promise<Map<Name, Result[]>> {
  const results = new Map<Name, Result[]>([...subjects.keys()].map((name) => [name, []]))
  const began = now()
  for (let round = 0; round < rounds && (round === 0 || now() - began < limitMs); round++) {
    onRound?.(round)
    for (const [name, measure] of subjects) results.get(name)?.push(await measure())
  }
  return results
}
