import { type Json, type JsonObject, asObject, isList, isObject } from '../../src/read/json.ts'
import { follow } from './contract-schemas.ts'

/**
 * The raw schema that each type generated from an AsyncAPI document stands for, put together from the raw document
 * alone: components, payloads without a name, queries, and the JSON messages of each direction. References to the
 * document beside it are written as references to this one.
 */
export function eventSchemas(document: JsonObject): Map<string, Json> {
  const root = local(document) as JsonObject
  const components = asObject(root['components'])
  const found = new Map<string, Json>(Object.entries(asObject(components['schemas'])))
  const addPayloads = (messages: Json | undefined, owner = ''): void => {
    for (const [key, message] of Object.entries(asObject(messages))) {
      const payload = asObject(message)['payload'] ?? true
      if (
        asObject(message)['$ref'] === undefined &&
        isJson(message, root) &&
        asObject(payload)['$ref'] === undefined
      )
        found.set(`${owner}${pascal(key)}Payload`, payload)
    }
  }
  addPayloads(components['messages'])
  for (const [id, entry] of Object.entries(asObject(root['channels']))) {
    const channel = follow(entry, root)
    const isOpened = typeof channel['address'] === 'string'
    addPayloads(channel['messages'], isOpened ? pascal(id) : '')
    if (!isOpened) continue
    const binding = asObject(asObject(channel['bindings'])['ws'])
    found.set(`${pascal(id)}Query`, binding['query'] ?? { type: 'object' })
    const messages = asObject(channel['messages'])
    const [client, server] = directions(root, id, Object.keys(messages))
    for (const [name, keys] of [
      ['Client', client],
      ['Server', server],
    ] as const) {
      const payloads = [...keys]
        .map((key) => follow(messages[key], root))
        .filter((message) => isJson(message, root))
      if (payloads.length > 0)
        found.set(`${pascal(id)}${name}Message`, { anyOf: payloads.map(({ payload }) => payload ?? true) })
    }
  }
  return found
}

/** The keys of the messages that a client sends and receives on a channel. */
function directions(root: JsonObject, id: string, all: readonly string[]): [Set<string>, Set<string>] {
  const [client, server] = [new Set<string>(), new Set<string>()]
  for (const operation of Object.values(asObject(root['operations'])).map(asObject)) {
    if (asObject(operation['channel'])['$ref'] !== `#/channels/${id}`) continue
    for (const key of keysOf(operation['messages']) ?? all)
      (operation['action'] === 'send' ? server : client).add(key)
    for (const key of keysOf(asObject(operation['reply'])['messages']) ?? []) server.add(key)
  }
  return [client, server]
}

function keysOf(list: Json | undefined): string[] | undefined {
  return isList(list)
    ? list.map((entry) => String(asObject(entry)['$ref']).split('/').at(-1) ?? '')
    : undefined
}

/** Whether a message is binary. In the documents of the tests, the message or its payload says so. */
function isJson(message: Json | undefined, root: JsonObject): boolean {
  const { contentType = 'application/json', payload } = asObject(message)
  return contentType === 'application/json' && follow(payload, root)['format'] !== 'binary'
}

function local(raw: Json): Json {
  if (isList(raw)) return raw.map(local)
  if (!isObject(raw)) return raw
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? value.replace(/^[^#]*/, '') : local(value),
    ]),
  )
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
