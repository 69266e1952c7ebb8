import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The subjects of a row: the modules in a folder, by their file names with spaces for hyphens.
 *
 * @param order - The names in the order in which they are measured; the first is the base of all ratios.
 */
export function subjectsIn(folder: string, order: readonly string[]): ReadonlyMap<string, string> {
  const subjects = new Map(order.map((name) => [name, join(folder, `${name.replaceAll(' ', '-')}.ts`)]))
  const files = readdirSync(folder).map((file) => join(folder, file))
  const listed = new Set(subjects.values())
  const forgotten = files.filter((file) => !listed.has(file))
  if (forgotten.length > 0 || files.length < listed.size) {
    throw new Error(`the subjects in ${folder} are not those that are measured: ${forgotten.join(', ')}`)
  }
  return subjects
}
