export interface Matching<Element> {
  readonly pairs: readonly { readonly base: Element; readonly next: Element }[]
  readonly removed: readonly Element[]
  readonly added: readonly Element[]
}

/** Returns whether two elements correspond. `left` has the remaining elements, which haven't been matched yet. */
type Alike<Element> = (
  base: Element,
  next: Element,
  left: { readonly removed: readonly Element[]; readonly added: readonly Element[] },
) => boolean

/** Matches elements by the first test, then the remaining elements by the second test, and so on. */
export function matched<Element>(
  base: readonly Element[],
  next: readonly Element[],
  ...tests: readonly Alike<Element>[]
): Matching<Element> {
  const pairs: { base: Element; next: Element }[] = []
  let removed = base
  let added = next
  for (const alike of tests)
    for (const one of removed) {
      const other = added.find((candidate) => alike(one, candidate, { removed, added }))
      if (other === undefined) continue
      pairs.push({ base: one, next: other })
      removed = removed.filter((left) => left !== one)
      added = added.filter((left) => left !== other)
    }
  return { pairs, removed, added }
}
