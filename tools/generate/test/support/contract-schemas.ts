import { type Json, type JsonObject, isList, isObject } from '../../src/read/json.ts'

/**
 * The raw schema that each generated type stands for, put together from the raw contract alone: components as
 * they are, and for each operation its input, its successes and its documented errors.
 */
export function contractSchemas(root: JsonObject): Map<string, Json> {
  const found = new Map<string, Json>()
  const components = root['components'] as JsonObject
  for (const [name, raw] of Object.entries((components['schemas'] ?? {}) as JsonObject)) found.set(name, raw)
  for (const item of Object.values(root['paths'] as JsonObject)) {
    if (!isObject(item)) continue
    for (const operation of Object.values(item)) {
      if (!isObject(operation) || typeof operation['operationId'] !== 'string') continue
      const id = operation['operationId']
      const name = id[0]?.toUpperCase() + id.slice(1)
      found.set(`${name}Input`, inputOf(operation, item, root))
      found.set(`${name}Output`, bodiesOf(operation, root, /^2/))
      found.set(`${name}Error`, bodiesOf(operation, root, /^[45]|default/))
    }
  }
  return found
}

function inputOf(operation: JsonObject, item: JsonObject, root: JsonObject): Json {
  const properties: Record<string, Json> = {}
  const required: string[] = []
  const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((raw) =>
    follow(raw, root),
  )
  for (const [place, part] of [
    ['path', 'path'],
    ['query', 'query'],
    ['header', 'headers'],
  ] as const) {
    // A required header with a constant is sent by the client itself, and so no part of the input.
    const own = parameters.filter(
      (parameter) =>
        parameter['in'] === place &&
        !(place === 'header' && parameter['required'] === true && isConstant(parameter['schema'])),
    )
    if (own.length === 0) continue
    const needed = own
      .filter((parameter) => parameter['required'] === true)
      .map((parameter) => String(parameter['name']))
    properties[part] = {
      type: 'object',
      properties: Object.fromEntries(
        own.map((parameter) => [String(parameter['name']), parameter['schema'] ?? true]),
      ),
      required: needed,
    }
    if (needed.length > 0) required.push(part)
  }
  if (operation['requestBody'] !== undefined) {
    const body = follow(operation['requestBody'], root)
    properties['body'] = schemaOf(body) ?? true
    if (body['required'] === true) required.push('body')
  }
  return { type: 'object', properties, required }
}

function bodiesOf(operation: JsonObject, root: JsonObject, statuses: RegExp): Json {
  const bodies = Object.entries(operation['responses'] as JsonObject)
    .filter(([status]) => statuses.test(status))
    .map(([, response]) => schemaOf(follow(response, root)) ?? true)
  return bodies.length === 0 ? true : { anyOf: bodies }
}

function schemaOf(body: JsonObject): Json | undefined {
  const media = isObject(body['content']) ? Object.values(body['content'])[0] : undefined
  return isObject(media) ? media['schema'] : undefined
}

function listOf(raw: Json | undefined): readonly Json[] {
  return isList(raw) ? raw : []
}

function follow(raw: Json, root: JsonObject): JsonObject {
  if (!isObject(raw)) throw new Error('not an object')
  if (typeof raw['$ref'] !== 'string') return raw
  const path = raw['$ref'].slice(2).split('/')
  return follow(
    path.reduce<Json>((value, name) => (value as JsonObject)[name] ?? null, root),
    root,
  )
}

function isConstant(schema: Json | undefined): boolean {
  return typeof schema === 'object' && schema !== null && 'const' in schema
}
