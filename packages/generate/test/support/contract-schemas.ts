import { type Json, type JsonObject, asList, asObject, isObject } from '../../src/read/json.ts'

/**
 * The raw schema that each generated type stands for, put together from the raw contract alone: components as
 * they are, and for each operation its input, its bodies without a name, its successes and its documented errors.
 */
export function contractSchemas(root: JsonObject): Map<string, Json> {
  const found = new Map<string, Json>(Object.entries(asObject(asObject(root['components'])['schemas'])))
  for (const { name, item, operation, responses } of operationsOf(root)) {
    found.set(`${name}Input`, inputOf(operation, item, root))
    for (const [status, body] of responses) {
      const schema = schemaOf(body)
      if (kindOf(body) === 'json' && isObject(schema) && schema['$ref'] === undefined)
        found.set(`${name}Response${status === 'default' ? 'Default' : status}`, schema)
    }
    for (const [suffix, statuses] of OUTCOMES) {
      const bodies = responses.filter(([status]) => statuses.test(status))
      found.set(
        `${name}${suffix}`,
        bodies.length === 0 ? true : { anyOf: bodies.map(([, body]) => schemaOf(body) ?? true) },
      )
    }
  }
  return found
}

/** Schemas of values that aren't JSON: received bytes, a missing body, or a union with one of these. */
export type OtherBody = 'blob' | 'nothing' | 'several kinds'

/** The types of responses that aren't JSON, and so can't be compared with a JSON Schema validator. */
export function otherBodies(root: JsonObject): Map<string, OtherBody> {
  const found = new Map<string, OtherBody>()
  for (const { name, responses } of operationsOf(root)) {
    for (const [status, body] of responses)
      if (kindOf(body) === 'blob') found.set(`${name}Response${status}`, 'blob')
    for (const [suffix, statuses] of OUTCOMES) {
      const bodies = responses.filter(([status]) => statuses.test(status))
      const [kind = 'json', ...others] = new Set(bodies.map(([, body]) => kindOf(body)))
      if (others.length > 0) found.set(`${name}${suffix}`, 'several kinds')
      else if (kind !== 'json') found.set(`${name}${suffix}`, kind)
    }
  }
  return found
}

/** The types of all bodies of successes, and of errors, by their suffixes. */
const OUTCOMES = [
  ['Output', /^2/],
  ['Error', /^[45]|default/],
] as const

/** All operations with the names of their types, their paths' members and their responses. */
function operationsOf(root: JsonObject) {
  return Object.values(asObject(root['paths'])).flatMap((item) =>
    Object.values(asObject(item))
      .map(asObject)
      .filter((operation) => typeof operation['operationId'] === 'string')
      .map((operation) => ({
        name: String(operation['operationId']).replace(/^./, (letter) => letter.toUpperCase()),
        item: asObject(item),
        operation,
        responses: responsesOf(operation, root),
      })),
  )
}

function responsesOf(operation: JsonObject, root: JsonObject): [status: string, body: JsonObject][] {
  return Object.entries(operation['responses'] as JsonObject).map(([status, raw]) => [
    status,
    follow(raw, root),
  ])
}

function kindOf(body: JsonObject): 'json' | 'blob' | 'nothing' {
  const [type] = Object.keys(asObject(body['content']))
  if (type === undefined) return 'nothing'
  return /json|^text\//.test(type) ? 'json' : 'blob'
}

function inputOf(operation: JsonObject, item: JsonObject, root: JsonObject): Json {
  const properties: Record<string, Json> = {}
  const required: string[] = []
  const parameters = [...asList(item['parameters']), ...asList(operation['parameters'])].map((raw) =>
    follow(raw, root),
  )
  for (const [place, part] of [
    ['path', 'path'],
    ['query', 'query'],
    ['header', 'headers'],
  ] as const) {
    // The client sends a required header with a constant value by itself, so it isn't part of the input.
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

function schemaOf(body: JsonObject): Json | undefined {
  const media = isObject(body['content']) ? Object.values(body['content'])[0] : undefined
  return asObject(media)['schema']
}

/** Follows references to the object that they lead to. Anything else is an empty object. */
export function follow(raw: Json | undefined, root: JsonObject): JsonObject {
  if (!isObject(raw)) return {}
  if (typeof raw['$ref'] !== 'string') return raw
  const path = raw['$ref'].slice(2).split('/')
  return follow(
    path.reduce<Json>((value, name) => asObject(value)[name] ?? null, root),
    root,
  )
}

function isConstant(schema: Json | undefined): boolean {
  return typeof schema === 'object' && schema !== null && 'const' in schema
}
