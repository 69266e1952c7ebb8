import { Circles } from './circles.ts'
import type { JsonObject } from './json.ts'

/**
 * Collects something from schemas and from all that they lead to. Each schema is looked at once, whatever the number of schemas that
 * lead to it, and schemas that lead to each other share one set.
 */
export class Gathered<Value> {
  readonly #next: (raw: JsonObject) => readonly JsonObject[]
  readonly #own: (raw: JsonObject) => Iterable<Value>
  readonly #sets = new Map<JsonObject, ReadonlySet<Value>>()
  readonly #circles: Circles

  /**
   * @param next The schemas that a schema leads to.
   * @param own What is collected from a schema itself.
   */
  constructor(next: (raw: JsonObject) => readonly JsonObject[], own: (raw: JsonObject) => Iterable<Value>) {
    this.#next = next
    this.#own = own
    this.#circles = new Circles(next, (members) => this.#close(members))
  }

  /** Everything collected from a schema and from what it leads to, its own first. */
  of(raw: JsonObject): ReadonlySet<Value> {
    this.#circles.of(raw)
    return this.#sets.get(raw) ?? new Set()
  }

  #close(members: readonly JsonObject[]): void {
    const found = new Set(members.flatMap((member) => [...this.#own(member)]))
    const inner = new Set(members.flatMap((member) => this.#next(member).map((next) => this.#sets.get(next))))
    for (const set of inner) for (const value of set ?? []) found.add(value)
    const same = [...inner].find((set) => set?.size === found.size)
    for (const member of members) this.#sets.set(member, same ?? found)
  }
}
