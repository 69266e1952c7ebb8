import { isObject, type Json, type JsonObject } from '../core/json.ts'

/** Derives a JSON Schema that every example matches. A property is required if every example has it. */
export function schemaFromExamples(examples: readonly JsonObject[]): JsonObject {
  const names = [...new Set(examples.flatMap((example) => Object.keys(example)))]
  const required = names.filter((name) => examples.every((example) => Object.hasOwn(example, name)))
  const properties = Object.fromEntries(
    names.map((name) => [
      name,
      schemaOfValues(
        examples.flatMap((example) => (Object.hasOwn(example, name) ? [example[name] ?? null] : [])),
      ),
    ]),
  )
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

function schemaOfValues(values: readonly Json[]): JsonObject {
  const types = [...new Set(values.map(typeOfValue))]
  if (types.includes('number') && types.includes('integer')) types.splice(types.indexOf('integer'), 1)
  const objects = values.filter(isObject)
  const items = values.filter((value) => Array.isArray(value)).flat()
  return {
    type: types.length > 1 ? types : (types[0] ?? 'null'),
    ...(objects.length > 0 ? { properties: schemaFromExamples(objects)['properties'] ?? {} } : {}),
    ...(items.length > 0 ? { items: schemaOfValues(items) } : {}),
  }
}

function typeOfValue(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
