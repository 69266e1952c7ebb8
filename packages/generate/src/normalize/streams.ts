import type { Contract, ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, isList, isObject } from '../read/json.ts'
import { isJson } from './media.ts'
import type { ItemsModel } from './model.ts'

/** Returns the stream format of a media type; undefined if the media type isn't for streams of items. */
export function streamFormat(contentType: string): ItemsModel['format'] | undefined {
  const type = contentType
    .replace(/\s*;.*/, '')
    .trim()
    .toLowerCase()
  if (type === 'text/event-stream') return 'sse'
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines|json-stream)$/.test(type)) return 'lines'
  return /^[^/]+\/(?:[^/]+\+)?json-seq$/.test(type) ? 'sequence' : undefined
}

interface ItemSchema {
  readonly items: ItemsModel
  /** The schema of one item. If the contract has no schema, the node's `value` is undefined. */
  readonly schema: ContractNode
}

/** The fields of a server-sent event (WHATWG HTML, section 9.2). */
const EVENT_FIELDS = new Set(['event', 'data', 'id', 'retry', 'comment'])

/**
 * Reads the schema of an item: `itemSchema` (OpenAPI 3.2) if the contract has it, otherwise `schema`. But if the type
 * of `schema` is array, its `items` describe an item. In a stream of events, `itemSchema` describes a whole event.
 * `schema` describes a whole event only if it has `data` and at least one other property, and all its properties are
 * event fields. Otherwise, `schema` describes the event's data.
 */
export function readItemSchema(media: ContractNode, format: ItemsModel['format']): ItemSchema {
  const { contract } = media
  const isOwn = media.raw['itemSchema'] !== undefined
  const body = media.at('schema')
  const whole = body.resolved()
  const isArray = !isOwn && whole['type'] === 'array'
  const ofBody = isArray ? body.at('items').with(whole['items']) : body
  const schema = isOwn ? media.at('itemSchema') : ofBody
  const isString = schema.resolved()['type'] === 'string'
  if (format !== 'sse') {
    if (isOwn || isArray || !isString) return { items: { format }, schema }
    schema.note('the schema describes the whole body as a string, so items have no type')
    return { items: { format }, schema: schema.with(true) }
  }
  if (isOwn || isEvent(contract, schema.value)) {
    const withJson = jsonData(contract, schema.value)
    if (withJson !== undefined)
      return { items: { format, item: 'json-event' }, schema: schema.with(withJson) }
    return { items: { format, item: 'event' }, schema }
  }
  const isText = schema.value === undefined || isString
  return { items: { format, ...(isText && { item: 'text' as const }) }, schema }
}

function isEvent(contract: Contract, schema: Json | undefined): boolean {
  const names = Object.keys(asObject(contract.resolveObject(schema)['properties']))
  return names.length > 1 && names.includes('data') && names.every((name) => EVENT_FIELDS.has(name))
}

/**
 * In an event's schema, replaces the schema of `data` with the `contentSchema` of `data`, which describes the parsed
 * JSON. Returns undefined if the event, or an event in its `oneOf` or `anyOf`, has no `contentSchema` for JSON.
 */
function jsonData(contract: Contract, schema: Json | undefined): JsonObject | undefined {
  const raw = contract.resolveObject(schema)
  const { properties } = raw
  const data = isObject(properties) ? contract.resolve(properties['data']) : undefined
  if (isObject(properties) && isObject(data)) {
    const { contentSchema, contentMediaType } = data
    if (contentSchema === undefined || !isJson(String(contentMediaType))) return undefined
    return { ...raw, properties: { ...properties, data: contentSchema } }
  }
  for (const key of ['oneOf', 'anyOf'] as const) {
    const branches = raw[key]
    if (!isList(branches)) continue
    const changed = branches.map((branch) => jsonData(contract, branch))
    return changed.every((one) => one !== undefined) ? { ...raw, [key]: changed } : undefined
  }
  return undefined
}
