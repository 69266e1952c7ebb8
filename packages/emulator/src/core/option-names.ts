import { EmulatorOptionsError } from './errors.ts'

/**
 * Refuses names that are not among the known ones, so that a misspelt one is not ignored.
 *
 * @param what - What has the names, for instance `The emulator`.
 * @param kind - What the names are, for instance `option`.
 * @throws EmulatorOptionsError, which asks for the name that was probably meant.
 */
export function checkNames(given: unknown, known: readonly string[], what: string, kind = 'option'): void {
  if (typeof given !== 'object' || given === null)
    throw new EmulatorOptionsError(`${what} takes an object of ${kind}s. It has: ${known.join(', ')}.`)
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const meant = known.find((one) => isNear(name.toLowerCase(), one.toLowerCase()))
    throw new EmulatorOptionsError(
      `${what} has no ${kind} ${name}.${meant ? ` Did you mean ${meant}?` : ''} It has: ${known.join(', ')}.`,
    )
  }
}

/** Whether at most two letters are other, missing or too many, and not half of them. */
function isNear(given: string, known: string): boolean {
  let row = Array.from({ length: known.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...given].entries()) {
    const next = [index + 1]
    for (const [at, other] of [...known].entries()) {
      const [above = 0, left = 0, corner = 0] = [row[at + 1], next[at], row[at]]
      next.push(Math.min(above + 1, left + 1, corner + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return (row.at(-1) ?? 0) <= Math.min(2, given.length / 2)
}
