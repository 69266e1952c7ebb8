import type { JsonObject } from './json.ts'

/**
 * Tells which schemas lead to each other: the strongly connected components of the graph of their references (Tarjan 1972). Each schema is
 * looked at once, without recursion, because chains of references may be longer than the stack is deep.
 */
export class Circles {
  readonly #next: (raw: JsonObject) => readonly JsonObject[]
  readonly #onFound: (members: readonly JsonObject[]) => void
  /** The order in which schemas were met. */
  readonly #met = new Map<JsonObject, number>()
  /** The circles of schemas whose circle is known; a schema that isn't in one has its own. */
  readonly #circles = new Map<JsonObject, object>()

  /** @param onFound Called with the members of each circle, after the circles that they lead to. */
  constructor(
    next: (raw: JsonObject) => readonly JsonObject[],
    onFound: (members: readonly JsonObject[]) => void = () => {},
  ) {
    this.#next = next
    this.#onFound = onFound
  }

  /** Whether two schemas lead to each other. */
  areInOne(first: JsonObject, second: JsonObject): boolean {
    return this.of(first) === this.of(second)
  }

  /** The circle that a schema is in. */
  of(start: JsonObject): object {
    const known = this.#circles.get(start)
    if (known) return known
    const open: JsonObject[] = []
    const path = [this.#enter(start, open)]
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const inner = step.next.pop()
      if (inner === undefined) {
        path.pop()
        if (step.lowest === step.own) this.#close(step.raw, open)
        const before = path.at(-1)
        if (before) before.lowest = Math.min(before.lowest, step.lowest)
      } else if (!this.#met.has(inner)) path.push(this.#enter(inner, open))
      else if (!this.#circles.has(inner)) step.lowest = Math.min(step.lowest, this.#met.get(inner)!)
    }
    return this.#circles.get(start)!
  }

  #enter(raw: JsonObject, open: JsonObject[]) {
    const own = this.#met.size
    this.#met.set(raw, own)
    open.push(raw)
    return { raw, own, lowest: own, next: [...this.#next(raw)] }
  }

  /** Everything that was met since a schema, and that has no circle yet, is in a circle with it. */
  #close(raw: JsonObject, open: JsonObject[]): void {
    const circle = {}
    const members = open.splice(open.lastIndexOf(raw))
    for (const each of members) this.#circles.set(each, circle)
    this.#onFound(members)
  }
}
