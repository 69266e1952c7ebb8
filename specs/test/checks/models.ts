import { isObject, objectAt, resolved } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'

/** The differences between the rows of `x-models` and the schemas of their endpoints. */
export function modelProblems(document: JsonObject): string[] {
  const rows = document['x-models']
  if (!Array.isArray(rows)) return []
  const table = new Map<string, Set<string>>()
  const problems: string[] = []
  for (const row of rows.filter(isObject)) {
    const { model, endpoints, requiresOneOf, cost } = row
    const at = `/x-models ${String(model)}`
    for (const endpoint of strings(endpoints)) {
      const listed = table.get(endpoint) ?? new Set()
      if (listed.has(String(model))) problems.push(`${at}: is listed twice for ${endpoint}`)
      table.set(endpoint, listed.add(String(model)))
      if (!modelsOf(document, endpoint).includes(String(model)))
        problems.push(`${at}: ${endpoint} does not list it`)
      const fields = Object.keys(objectAt(bodyOf(document, endpoint), 'properties'))
      for (const field of Array.isArray(requiresOneOf) ? requiresOneOf.flatMap(strings) : [])
        if (field !== '*' && !fields.includes(field))
          problems.push(`${at}: requires ${field}, which ${endpoint} does not have`)
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
    for (const model of modelsOf(document, endpoint))
      if (table.get(endpoint)?.has(model) !== true)
        problems.push(`${endpoint}: lists ${model}, which has no row in /x-models`)
  return problems
}

/** The pairs of an endpoint and a model that the schemas of the requests list. */
export function modelPairs(document: JsonObject): string[] {
  return Object.keys(objectAt(document, 'paths')).flatMap((endpoint) =>
    modelsOf(document, endpoint).map((model) => `${endpoint} ${model}`),
  )
}

/** The schema of the body that is posted to an endpoint. */
function bodyOf(document: JsonObject, endpoint: string): JsonObject {
  const post = objectAt(objectAt(objectAt(document, 'paths'), endpoint), 'post')
  const content = objectAt(objectAt(objectAt(post, 'requestBody'), 'content'), 'application/json')
  return resolved(document, objectAt(content, 'schema'))
}

/** The models that an endpoint lists. */
function modelsOf(document: JsonObject, endpoint: string): string[] {
  const model = resolved(document, objectAt(objectAt(bodyOf(document, endpoint), 'properties'), 'model'))
  return model['x-open-enum'] === true ? strings(model['enum']) : []
}

const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : [])
