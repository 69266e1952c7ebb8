/** The known name that is most similar to a misspelled name; undefined if no name is similar enough. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(name.length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(name, candidate) }))
    .filter((entry) => entry.distance <= limit)
    .toSorted((first, second) => first.distance - second.distance)
  return best?.candidate
}

export function didYouMean(name: string, known: readonly string[]): string {
  const meant = closest(name, known)
  return meant === undefined ? '' : `; did you mean \`${meant}\`?`
}

/** The distance between two names: the number of letters to add, remove, replace, or swap with a neighbor. */
function distance(first: string, second: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: second.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...first].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...second].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      const isSwapped = column > 0 && letter === second[column - 1] && other === first[index - 1]
      const swapped = isSwapped ? (before[column - 1] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
