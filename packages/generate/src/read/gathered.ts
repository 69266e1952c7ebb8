import { Circles } from './circles.ts'
import type { JsonObject } from './json.ts'

/** `own`: the values that are collected from a schema itself. `schemas`: the schemas that the schema leads to. */
export interface Inside<Value> {
  readonly own: Iterable<Value>
  readonly schemas: readonly JsonObject[]
}

/**
 * Collects values from schemas and from all schemas that they lead to. Each schema is visited once, even if many
 * schemas lead to it. Schemas that lead to each other share one set.
 */
export class Gathered<Value> {
  readonly #sets = new Map<JsonObject, ReadonlySet<Value>>()
  readonly #circles: Circles<JsonObject>
  /** The contents of schemas that have no set yet. */
  readonly #entered = new Map<JsonObject, Inside<Value>>()

  constructor(inside: (raw: JsonObject) => Inside<Value>) {
    const next = (raw: JsonObject) => {
      const found = inside(raw)
      this.#entered.set(raw, found)
      return found.schemas
    }
    this.#circles = new Circles(next, (members) => this.#close(members))
  }

  of(raw: JsonObject): ReadonlySet<Value> {
    this.#circles.of(raw)
    return this.#sets.get(raw) ?? new Set()
  }

  has(raw: JsonObject): boolean {
    return this.of(raw).size > 0
  }

  #close(members: readonly JsonObject[]): void {
    const contents = members.map((member) => this.#entered.get(member)!)
    const found = new Set(contents.flatMap(({ own }) => [...own]))
    const inner = new Set(contents.flatMap(({ schemas }) => schemas.map((next) => this.#sets.get(next))))
    for (const set of inner) for (const value of set ?? []) found.add(value)
    const same = [...inner].find((set) => set?.size === found.size)
    for (const member of members) {
      this.#sets.set(member, same ?? found)
      this.#entered.delete(member)
    }
  }
}

/** Finds the schemas that are marked, or that lead to a marked schema. */
export type Marks = Gathered<true>

export function marked(isMarked: boolean, schemas: readonly JsonObject[]): Inside<true> {
  return { own: isMarked ? [true] : [], schemas }
}
