/** Measures one subject once. */
export type Measure<Result> = () => Promise<Result> | Result

/**
 * Measures the subjects in turn, round after round: A B C A B C. What the machine does besides then meets all of
 * them alike, and each round can be compared within itself.
 *
 * @param onRound - Told before each round how many are done.
 * @returns What each subject measured, in the order of the rounds.
 */
export async function interleave<Name extends string, Result>(
  subjects: ReadonlyMap<Name, Measure<Result>>,
  rounds: number,
  onRound: (done: number) => void = () => undefined,
): Promise<Map<Name, Result[]>> {
  const results = new Map<Name, Result[]>([...subjects.keys()].map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    onRound(round)
    for (const [name, measure] of subjects) results.get(name)?.push(await measure())
  }
  return results
}
