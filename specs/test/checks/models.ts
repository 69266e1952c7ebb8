import { isObject, objectAt, resolved } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'

/** What a row of `x-models` and the schemas of its endpoints say differently. */
export function modelProblems(document: JsonObject): string[] {
  const rows = document['x-models']
  if (!Array.isArray(rows)) return []
  const table = new Map<string, Set<string>>()
  const problems: string[] = []
  for (const row of rows.filter(isObject)) {
    const { model, endpoints, requires, cost } = row
    const at = `/x-models ${String(model)}`
    for (const endpoint of strings(endpoints)) {
      const listed = table.get(endpoint) ?? new Set()
      if (listed.has(String(model))) problems.push(`${at}: stands twice for ${endpoint}`)
      table.set(endpoint, listed.add(String(model)))
      const branch = branchesOf(document, endpoint).find(({ models }) => models.includes(String(model)))
      if (branch === undefined) problems.push(`${at}: ${endpoint} does not take it`)
      else if (branch.required.toSorted().join() !== strings(requires).toSorted().join())
        problems.push(`${at}: ${endpoint} requires ${branch.required.join(', ')}`)
    }
    const prices = Array.isArray(cost) ? cost.filter(isObject) : []
    for (const { credits } of prices)
      if (isObject(credits) && Number(credits['min']) > Number(credits['max']))
        problems.push(`${at}: a range of credits is upside down`)
    const names = prices.map(({ when }) => when)
    if (prices.length > 1 && (names.includes(undefined as never) || new Set(names).size < names.length))
      problems.push(`${at}: its prices are not told apart`)
  }
  for (const endpoint of Object.keys(objectAt(document, 'paths')))
    for (const { models } of branchesOf(document, endpoint))
      for (const model of models)
        if (table.get(endpoint)?.has(model) !== true)
          problems.push(`${endpoint}: takes ${model}, which has no row in /x-models`)
  return problems
}

/** The pairs of an endpoint and a model that the schemas of the requests take. */
export function modelPairs(document: JsonObject): string[] {
  return Object.keys(objectAt(document, 'paths')).flatMap((endpoint) =>
    branchesOf(document, endpoint).flatMap(({ models }) => models.map((model) => `${endpoint} ${model}`)),
  )
}

interface Branch {
  readonly models: readonly string[]
  readonly required: readonly string[]
}

/** What the body of an endpoint can be, by model. */
function branchesOf(document: JsonObject, endpoint: string): Branch[] {
  const post = objectAt(objectAt(objectAt(document, 'paths'), endpoint), 'post')
  const content = objectAt(objectAt(objectAt(post, 'requestBody'), 'content'), 'application/json')
  return expand(resolved(document, objectAt(content, 'schema')))

  function expand(schema: JsonObject): Branch[] {
    if (Array.isArray(schema['oneOf']))
      return schema['oneOf'].filter(isObject).flatMap((branch) => expand(resolved(document, branch)))
    const model = objectAt(schema, 'properties')['model']
    if (!isObject(model)) return []
    const { const: only, enum: listed } = resolved(document, model)
    const models = only === undefined ? strings(listed) : [String(only)]
    return [{ models, required: strings(schema['required']) }]
  }
}

const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : [])
