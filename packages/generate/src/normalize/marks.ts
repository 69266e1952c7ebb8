import type { JsonObject } from '../read/json.ts'

/** The contents of a schema: a mark of its own, and other schemas. */
export interface Inside {
  readonly isMarked: boolean
  readonly schemas: Iterable<JsonObject>
}

interface Node {
  isMarked: boolean
  readonly users: Set<Node>
}

/**
 * Tells which schemas have something marked in them, at any depth and through references. Each schema is looked at once,
 * without recursion: the references of a contract form circles, and chains that are longer than the stack is deep.
 */
export class Marks {
  readonly #inside: (raw: JsonObject) => Inside
  readonly #nodes = new Map<JsonObject, Node>()

  constructor(inside: (raw: JsonObject) => Inside) {
    this.#inside = inside
  }

  /** Whether a schema is marked, or has a marked one in it. */
  has(raw: JsonObject): boolean {
    const known = this.#nodes.get(raw)
    if (known) return known.isMarked
    const first: Node = { isMarked: false, users: new Set() }
    this.#nodes.set(raw, first)
    const pending: [JsonObject, Node][] = [[raw, first]]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [schema, node] = next
      const { isMarked, schemas } = this.#inside(schema)
      if (isMarked) mark(node)
      for (const inner of schemas) {
        let found = this.#nodes.get(inner)
        if (!found) {
          found = { isMarked: false, users: new Set() }
          this.#nodes.set(inner, found)
          pending.push([inner, found])
        }
        found.users.add(node)
        if (found.isMarked) mark(node)
      }
    }
    return first.isMarked
  }
}

/** Marks a schema and all that have it in them. */
function mark(node: Node): void {
  const pending = [node]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.isMarked) continue
    next.isMarked = true
    for (const user of next.users) pending.push(user)
  }
}
