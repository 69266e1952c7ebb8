import type { ContractNode } from '../read/contract.ts'

/**
 * The kinds of OpenAPI and AsyncAPI objects that can have `x-` words. Error messages use the values to name the
 * kinds.
 */
export const KINDS = {
  openapi: 'the OpenAPI document',
  asyncapi: 'the AsyncAPI document',
  info: '`info`',
  server: 'a server',
  components: '`components`',
  pathItem: 'a path',
  webhookItem: 'a webhook',
  operation: 'an operation',
  webhook: 'the operation of a webhook',
  parameter: 'a parameter',
  requestBody: 'a request body',
  response: 'a response',
  header: 'a header of a response',
  mediaType: 'a media type',
  example: 'an example',
  schema: 'a schema',
  securityScheme: 'a security scheme',
  channel: 'a channel',
  event: 'an operation of a channel',
  message: 'a message',
} as const

export type Kind = keyof typeof KINDS

export interface ContractObject {
  readonly kind: Kind
  readonly node: ContractNode
}

/**
 * Describes a member of an OpenAPI or AsyncAPI object, such as `paths`: which kind of objects it contains, and how they
 * are arranged. The keys of a `map` are arbitrary names, which may start with `x-`. In `fields`, a key that starts with
 * `x-` is an `x-` word.
 */
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
    pathItems: ['pathItem', 'map'],
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

/** Members whose values are data. Keys in these values are never `x-` words. */
const data = new Set('const dataValue default enum example examples payload value'.split(' '))
/** Members whose keys are arbitrary names, which may start with `x-`. */
const named = new Set(['encoding', 'headers', 'mapping', 'scopes', 'variables'])

export interface ContractObjects {
  /** Every object with a kind, in the order of the document. */
  readonly objects: readonly ContractObject[]
  /** The `x-` words of objects without a kind. These words have no effect. */
  readonly strays: readonly { readonly word: string; readonly node: ContractNode }[]
}

/** Finds the objects of a contract that can have `x-` words, and the `x-` words in all other objects. */
export function objectsOf(document: ContractNode): ContractObjects {
  const objects: ContractObject[] = []
  const strays: { word: string; node: ContractNode }[] = []
  visit('asyncapi' in document.raw ? 'asyncapi' : 'openapi', document)
  return { objects, strays }

  function visit(kind: Kind, node: ContractNode): void {
    if (!node.isObject) return
    objects.push({ kind, node })
    for (const [key, below] of node.members()) {
      if (key.startsWith('x-')) continue
      const child = inside[kind]?.[key]
      if (child) visitChildren(child, below)
      else if (key === 'bindings' && below.isObject) visitBindings(below)
      else if (!data.has(key)) findStrays(below, named.has(key))
    }
  }

  function visitChildren([kind, shape]: Child, below: ContractNode): void {
    if (shape === 'one') visit(kind, below)
    else if (shape === 'list') for (const entry of below.items()) visit(kind, entry)
    else
      for (const [name, entry] of below.members()) {
        if (shape === 'fields' && name.startsWith('x-')) strays.push({ word: name, node: entry })
        else visit(kind, entry)
      }
  }

  /** The `query` of a WebSocket binding is a schema. */
  function visitBindings(bindings: ContractNode): void {
    for (const [, binding] of bindings.members()) {
      const { query: _, ...rest } = binding.raw
      visit('schema', binding.at('query'))
      findStrays(binding.with(rest), false)
    }
  }

  function findStrays(node: ContractNode, hasNames: boolean): void {
    for (const item of node.items()) findStrays(item, false)
    for (const [key, entry] of node.members()) {
      if (key.startsWith('x-') && !hasNames) strays.push({ word: key, node: entry })
      else if (!data.has(key)) findStrays(entry, named.has(key))
    }
  }
}
