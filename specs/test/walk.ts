import { escaped, isObject, type JsonObject } from './document.ts'

/** An object of a contract, with its kind and its pointer. */
export interface Place {
  /** The name of a row in the table below, such as `operation`. */
  readonly kind: string
  readonly pointer: string
  readonly value: JsonObject
}

type Child = readonly [kind: string, shape: 'one' | 'map' | 'list']

const operation: Record<string, Child> = {
  parameters: ['parameter', 'list'],
  requestBody: ['requestBody', 'one'],
  responses: ['response', 'map'],
}
const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']
const each = (kind: string): Record<string, Child> =>
  Object.fromEntries(methods.map((method) => [method, [kind, 'one']]))

/** The objects below each object. Objects that aren't listed here are not walked. */
const below: Record<string, Record<string, Child>> = {
  openapi: {
    servers: ['server', 'list'],
    paths: ['pathItem', 'map'],
    webhooks: ['webhookItem', 'map'],
    components: ['components', 'one'],
  },
  asyncapi: {
    servers: ['server', 'map'],
    channels: ['channel', 'map'],
    components: ['components', 'one'],
  },
  components: {
    schemas: ['schema', 'map'],
    responses: ['response', 'map'],
    parameters: ['parameter', 'map'],
    requestBodies: ['requestBody', 'map'],
    messages: ['message', 'map'],
  },
  pathItem: { servers: ['server', 'list'], parameters: ['parameter', 'list'], ...each('operation') },
  webhookItem: { parameters: ['parameter', 'list'], ...each('webhook') },
  operation,
  webhook: operation,
  parameter: { schema: ['schema', 'one'] },
  requestBody: { content: ['mediaType', 'map'] },
  response: { content: ['mediaType', 'map'], headers: ['parameter', 'map'] },
  mediaType: { schema: ['schema', 'one'] },
  schema: {
    properties: ['schema', 'map'],
    additionalProperties: ['schema', 'one'],
    items: ['schema', 'one'],
    not: ['schema', 'one'],
    anyOf: ['schema', 'list'],
    oneOf: ['schema', 'list'],
    allOf: ['schema', 'list'],
  },
  channel: { messages: ['message', 'map'], parameters: ['parameter', 'map'] },
  message: { payload: ['schema', 'one'], headers: ['schema', 'one'] },
}

/** Every object of a contract that has a kind, in the order of the document. */
export function walk(document: JsonObject): Place[] {
  const found: Place[] = []
  visit('asyncapi' in document ? 'asyncapi' : 'openapi', '', document)
  return found

  function visit(kind: string, pointer: string, value: unknown): void {
    if (!isObject(value)) return
    found.push({ kind, pointer, value })
    for (const [key, [child, shape]] of Object.entries(below[kind] ?? {})) {
      const below = value[key]
      const place = `${pointer}/${escaped(key)}`
      if (shape === 'one') visit(child, place, below)
      else if (shape === 'list' && Array.isArray(below))
        below.forEach((entry, index) => visit(child, `${place}/${index}`, entry))
      else if (shape === 'map' && isObject(below))
        for (const [name, entry] of Object.entries(below)) visit(child, `${place}/${escaped(name)}`, entry)
    }
  }
}

/** The operations of the paths, without the webhooks. */
export const operationsOf = (document: JsonObject) =>
  walk(document).filter(({ kind }) => kind === 'operation')

/** Every schema of the document, components and inline ones. */
export const schemasOf = (document: JsonObject) => walk(document).filter(({ kind }) => kind === 'schema')
