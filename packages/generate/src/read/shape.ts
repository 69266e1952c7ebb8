import type { JsonObject } from './json.ts'

/** The maximum depth of a document. In a deeper document, recursive functions could overflow the stack. */
const MAX_DEPTH = 500

/** The maximum number of segments in the path that an error message shows. */
const PART_DEPTH = 3

/** The reason why a document can't be read, and the part of the document that causes it. */
interface WrongShape {
  readonly path: readonly string[]
  readonly reason: string
}

/** Finds a value that is nested too deeply, or that contains itself through a YAML alias. */
export function wrongShape(document: JsonObject): WrongShape | undefined {
  const path: string[] = []
  const around = new Set<object>()
  /** The number of levels inside each visited value. With aliases, a value can be at several depths. */
  const known = new Map<object, number>()
  let reason: string | undefined
  const levelsOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0
    if (around.has(value)) {
      reason =
        'a YAML alias refers to a value that contains the alias itself; replace the alias with a `$ref` to a component'
      return 0
    }
    let levels = known.get(value) ?? 1
    if (around.size + levels > MAX_DEPTH)
      reason = `the document is nested too deeply, in more than ${MAX_DEPTH} levels; move inner schemas to \`components/schemas\``
    if (reason !== undefined || known.has(value)) return levels
    around.add(value)
    for (const [name, member] of Object.entries(value)) {
      path.push(name)
      levels = Math.max(levels, levelsOf(member) + 1)
      if (reason !== undefined) return levels
      path.pop()
    }
    around.delete(value)
    known.set(value, levels)
    return levels
  }
  levelsOf(document)
  return reason === undefined ? undefined : { path: path.slice(0, PART_DEPTH), reason }
}
