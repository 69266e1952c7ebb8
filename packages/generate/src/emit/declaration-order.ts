import { type PlainSchema, refName } from '../normalize/rules.ts'

type Schemas = ReadonlyMap<string, PlainSchema>

/**
 * The order in which schemas are declared. Each schema comes after the schemas that it refers to; otherwise, the order
 * of the contract is kept. Schemas that contain themselves, and schemas that refer to these, come last. Some of them
 * refer to a later declaration.
 */
export function declarationOrder(schemas: Schemas): string[] {
  const names = [...schemas.keys()]
  const users = names.map((): number[] => [])
  const positions = new Map(names.map((name, position) => [name, position]))
  const missing = names.map((name, position) => {
    const needed = [...referencesIn(schemas.get(name))].map((one) => positions.get(one)!)
    const others = needed.filter((one) => one !== position)
    for (const other of others) users[other]!.push(position)
    return others.length
  })
  const ready = new Smallest()
  missing.forEach((count, position) => count === 0 && ready.add(position))
  const order = new Set<number>()
  for (let next = ready.take(); next !== undefined; next = ready.take()) {
    order.add(next)
    for (const user of users[next]!) if (--missing[user]! === 0) ready.add(user)
  }
  names.forEach((_, position) => order.add(position))
  return [...order].map((position) => names[position]!)
}

/** The names that the declarations of a schema and its type refer to. */
function referencesIn(schema: PlainSchema | undefined, found = new Set<string>()): Set<string> {
  if (!schema) return found
  const { $ref, items, tuple, properties = {}, additionalProperties, anyOf = [], allOf = [] } = schema
  if ($ref !== undefined) found.add(refName($ref))
  const lists = [tuple ?? [items], Object.values(properties), [additionalProperties], anyOf, allOf]
  for (const inner of lists.flat()) referencesIn(inner, found)
  return found
}

/** A queue of numbers that returns the smallest first. */
class Smallest {
  readonly #heap: number[] = []

  add(value: number): void {
    let at = this.#heap.push(value) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (this.#heap[above]! <= value) break
      this.#heap[at] = this.#heap[above]!
      at = above
    }
    this.#heap[at] = value
  }

  take(): number | undefined {
    const [first] = this.#heap
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below + 1 < this.#heap.length && this.#heap[below + 1]! < this.#heap[below]!) below++
      if (below >= this.#heap.length || this.#heap[below]! >= last) break
      this.#heap[at] = this.#heap[below]!
      at = below
    }
    this.#heap[at] = last
    return first
  }
}
