import { type PlainSchema, refName } from '../normalize/rules.ts'

/**
 * Returns the names of the schemas in the order of their declarations: the order of the contract, except that each
 * schema comes after the schemas that it refers to. Schemas that contain themselves through other schemas come last,
 * together with all schemas that need them. Only these schemas can refer to a later declaration.
 */
export function declarationOrder(schemas: ReadonlyMap<string, PlainSchema>): string[] {
  const names = [...schemas.keys()]
  const users = names.map((): number[] => [])
  const positions = new Map(names.map((name, position) => [name, position]))
  const missing = names.map((name, position) => {
    const needed = [...referencesIn(schemas.get(name))].map((one) => positions.get(one)!)
    const others = needed.filter((one) => one !== position)
    for (const other of others) users[other]!.push(position)
    return others.length
  })
  const order = new Set<number>()
  for (let next = 0; next < names.length; next++) {
    if (missing[next]! > 0 || order.has(next)) continue
    order.add(next)
    const ready = users[next]!.filter((user) => --missing[user]! === 0)
    // If an earlier schema is ready now, because all its references are declared, the loop goes back to that schema.
    next = Math.min(next, ...ready.map((user) => user - 1))
  }
  names.forEach((_, position) => order.add(position))
  return [...order].map((position) => names[position]!)
}

/** The names of the types that a schema refers to. Excludes references in assertions. */
function referencesIn(schema: PlainSchema | undefined, found = new Set<string>()): Set<string> {
  if (!schema) return found
  const { $ref, items, tuple, properties = {}, additionalProperties, anyOf = [], allOf = [] } = schema
  if ($ref !== undefined) found.add(refName($ref))
  const lists = [tuple ?? [items], Object.values(properties), [additionalProperties], anyOf, allOf]
  for (const inner of lists.flat()) referencesIn(inner, found)
  return found
}
