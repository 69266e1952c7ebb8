/** How breaking a change is, in the order of semantic versioning. */
export type Verdict = 'none' | 'patch' | 'minor' | 'major'

const ORDER: readonly Verdict[] = ['none', 'patch', 'minor', 'major']

export function exceeds(one: Verdict, other: Verdict): boolean {
  return ORDER.indexOf(one) > ORDER.indexOf(other)
}

export function highest(verdicts: Iterable<Verdict>): Verdict {
  let found: Verdict = 'none'
  for (const verdict of verdicts) if (exceeds(verdict, found)) found = verdict
  return found
}

/** For `sort`: puts the most breaking verdict first. */
export function byVerdict(one: Verdict, other: Verdict): number {
  return ORDER.indexOf(other) - ORDER.indexOf(one)
}
