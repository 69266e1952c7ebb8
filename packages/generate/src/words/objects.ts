import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'

/** The kinds of OpenAPI and AsyncAPI objects that can have `x-` words. */
export type Kind =
  | 'openapi'
  | 'asyncapi'
  | 'info'
  | 'server'
  | 'components'
  | 'pathItem'
  | 'webhookItem'
  | 'operation'
  | 'webhook'
  | 'parameter'
  | 'requestBody'
  | 'response'
  | 'header'
  | 'mediaType'
  | 'example'
  | 'schema'
  | 'securityScheme'
  | 'channel'
  | 'event'
  | 'message'

/** An object of a contract, with its kind and place. */
export interface ContractObject {
  readonly kind: Kind
  readonly pointer: string
  readonly value: JsonObject
}

/** In a `map`, names are arbitrary. In `fields`, names can't start with `x-`, so a key with that prefix is a word. */
type Child = readonly [kind: Kind, shape: 'one' | 'map' | 'fields' | 'list']
type Children = Readonly<Record<string, Child>>

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace', 'query']
const each = (kind: Kind): Children => ({
  ...Object.fromEntries(methods.map((method): [string, Child] => [method, [kind, 'one']])),
  additionalOperations: [kind, 'map'],
})

const operation: Children = {
  parameters: ['parameter', 'list'],
  requestBody: ['requestBody', 'one'],
  responses: ['response', 'fields'],
}

/** For each kind of object, the kinds of the objects in its members. */
const inside: Partial<Record<Kind, Children>> = {
  openapi: {
    info: ['info', 'one'],
    servers: ['server', 'list'],
    paths: ['pathItem', 'fields'],
    webhooks: ['webhookItem', 'map'],
    components: ['components', 'one'],
  },
  asyncapi: {
    info: ['info', 'one'],
    servers: ['server', 'map'],
    channels: ['channel', 'map'],
    operations: ['event', 'map'],
    components: ['components', 'one'],
  },
  components: {
    schemas: ['schema', 'map'],
    responses: ['response', 'map'],
    parameters: ['parameter', 'map'],
    requestBodies: ['requestBody', 'map'],
    headers: ['header', 'map'],
    examples: ['example', 'map'],
    securitySchemes: ['securityScheme', 'map'],
    messages: ['message', 'map'],
    messageTraits: ['message', 'map'],
    channels: ['channel', 'map'],
    operations: ['event', 'map'],
    operationTraits: ['event', 'map'],
    servers: ['server', 'map'],
  },
  pathItem: { parameters: ['parameter', 'list'], servers: ['server', 'list'], ...each('operation') },
  webhookItem: { parameters: ['parameter', 'list'], ...each('webhook') },
  operation: { ...operation, servers: ['server', 'list'] },
  webhook: operation,
  parameter: { schema: ['schema', 'one'], examples: ['example', 'map'] },
  header: { schema: ['schema', 'one'], examples: ['example', 'map'] },
  requestBody: { content: ['mediaType', 'map'] },
  response: { content: ['mediaType', 'map'], headers: ['header', 'map'] },
  mediaType: { schema: ['schema', 'one'], examples: ['example', 'map'] },
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

/** Members whose values are data. They contain no words. */
const data = new Set('const dataValue default enum example examples payload value'.split(' '))
/** Members whose keys are arbitrary names, which may start with `x-`. */
const named = new Set(['encoding', 'headers', 'mapping', 'scopes', 'variables'])

/** The result of {@link objectsOf}. */
export interface ContractObjects {
  /** Every object with a kind, in the order of the document. */
  readonly objects: readonly ContractObject[]
  /** The `x-` words of all other objects, where no word has an effect. */
  readonly strays: readonly { readonly word: string; readonly pointer: string }[]
}

/** Finds the objects of a contract that can have words, and the words at all other places. */
export function objectsOf(document: JsonObject): ContractObjects {
  const objects: ContractObject[] = []
  const strays: { word: string; pointer: string }[] = []
  visit('asyncapi' in document ? 'asyncapi' : 'openapi', '#', document)
  return { objects, strays }

  function visit(kind: Kind, pointer: string, value: Json | undefined): void {
    if (!isObject(value)) return
    objects.push({ kind, pointer, value })
    for (const [key, below] of Object.entries(value)) {
      if (key.startsWith('x-')) continue
      const at = childPointer(pointer, key)
      const child = inside[kind]?.[key]
      if (child) visitChildren(child, at, below)
      else if (key === 'bindings' && isObject(below)) visitBindings(at, below)
      else if (!data.has(key)) findStrays(at, below, named.has(key))
    }
  }

  function visitChildren([kind, shape]: Child, at: string, below: Json): void {
    if (shape === 'one') visit(kind, at, below)
    else if (shape === 'list') {
      if (isList(below)) below.forEach((entry, index) => visit(kind, childPointer(at, index), entry))
    } else if (isObject(below)) {
      for (const [name, entry] of Object.entries(below)) {
        const place = childPointer(at, name)
        if (shape === 'fields' && name.startsWith('x-')) strays.push({ word: name, pointer: place })
        else visit(kind, place, entry)
      }
    }
  }

  /** The query of a WebSocket handshake is a schema. */
  function visitBindings(at: string, bindings: JsonObject): void {
    for (const [protocol, binding] of Object.entries(bindings)) {
      if (!isObject(binding)) continue
      const place = childPointer(at, protocol)
      const { query, ...rest } = binding
      visit('schema', childPointer(place, 'query'), query)
      findStrays(place, rest, false)
    }
  }

  function findStrays(at: string, value: Json | undefined, hasNames: boolean): void {
    if (isList(value)) value.forEach((entry, index) => findStrays(childPointer(at, index), entry, false))
    if (!isObject(value)) return
    for (const [key, entry] of Object.entries(value)) {
      const place = childPointer(at, key)
      if (key.startsWith('x-') && !hasNames) strays.push({ word: key, pointer: place })
      else if (!data.has(key)) findStrays(place, entry, named.has(key))
    }
  }
}
