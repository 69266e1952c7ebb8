import {
  arrayOf,
  isObject,
  type Media,
  objectOf,
  type SchemaAt,
  type SchemaOracle,
} from '@concord/spec-model'

import { jsonOrText } from './exchange.ts'

/** The format of a stream's items: Server-Sent Events, JSON Lines, or a JSON text sequence (RFC 7464). */
export type StreamFormat = 'events' | 'lines' | 'sequence'

export function streamFormat(mediaType: string): StreamFormat | undefined {
  const type = mediaType.replace(/\s*;.*/, '').toLowerCase()
  if (type === 'text/event-stream') return 'events'
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines|json-stream)$/.test(type)) return 'lines'
  return /^[^/]+\/(?:[^/]+\+)?json-seq$/.test(type) ? 'sequence' : undefined
}

export interface ItemSchema {
  readonly at: SchemaAt
  /**
   * The part of an event that the schema describes: the whole event (`event`), the whole event with its data parsed
   * as JSON (`json-event`), or only the data (`json` or `text`). For JSON Lines and JSON text
   * sequences, this is always `json`.
   */
  readonly describes: 'event' | 'json-event' | 'json' | 'text'
  /** Set if the schema describes the whole body (a string) instead of one item. */
  readonly isWhole?: true
}

/** The fields of a Server-Sent Event (WHATWG HTML, section 9.2), and `comment`. */
const EVENT_FIELDS: ReadonlySet<string> = new Set(['event', 'data', 'id', 'retry', 'comment'])

/** Finds the schema of an item: `itemSchema`, the `items` of an array schema, or the schema itself. */
export function itemSchemaOf(
  oracle: SchemaOracle,
  { schema, itemSchema }: Media,
  format: StreamFormat,
): ItemSchema | undefined {
  const whole = itemSchema ?? schema
  if (!whole) return undefined
  const target = objectOf(oracle.deref(whole.schema))
  const isList = itemSchema === undefined && target['type'] === 'array' && 'items' in target
  const at = isList ? { pointer: `${whole.pointer}/items`, schema: target['items'] } : whole
  const item = objectOf(oracle.deref(at.schema))
  if (format !== 'events')
    return itemSchema === undefined && !isList && item['type'] === 'string'
      ? { at, describes: 'json', isWhole: true }
      : { at, describes: 'json' }
  if (itemSchema === undefined && !isEvent(objectOf(item['properties'])))
    return { at, describes: item['type'] === 'string' ? 'text' : 'json' }
  const withJson = jsonData(oracle, item)
  return withJson === undefined
    ? { at, describes: 'event' }
    : { at: { pointer: `${at.pointer}/with-json`, schema: withJson }, describes: 'json-event' }
}

function isEvent(members: object): boolean {
  const names = Object.keys(members)
  return names.length > 1 && names.includes('data') && names.every((name) => EVENT_FIELDS.has(name))
}

/**
 * Returns the schema of an event with parsed `data`, or undefined if the given schema doesn't describe `data` as
 * JSON. If the schema has a `oneOf` or `anyOf`, all its branches must describe `data` as JSON.
 */
function jsonData(oracle: SchemaOracle, given: unknown): object | undefined {
  const schema = objectOf(oracle.deref(given))
  const properties = objectOf(schema['properties'])
  const data = objectOf(oracle.deref(properties['data']))
  if ('data' in properties) {
    const isJson = /^application\/(?:[^;]+\+)?json\b/.test(String(data['contentMediaType']))
    if (!isJson || !('contentSchema' in data)) return undefined
    return { ...schema, properties: { ...properties, data: data['contentSchema'] } }
  }
  for (const key of ['oneOf', 'anyOf'] as const) {
    if (!(key in schema)) continue
    const branches = arrayOf(schema[key]).map((branch) => jsonData(oracle, branch))
    return branches.includes(undefined) ? undefined : { ...schema, [key]: branches }
  }
  return undefined
}

export function streamText(
  format: StreamFormat,
  value: unknown,
  describes?: ItemSchema['describes'],
): string {
  const items = Array.isArray(value) ? value : [value]
  return items.map((item) => itemText(format, item, describes)).join('')
}

function itemText(
  format: StreamFormat,
  item: unknown,
  describes: ItemSchema['describes'] | undefined,
): string {
  if (format === 'lines') return `${JSON.stringify(item)}\n`
  if (format === 'sequence') return `\u001E${JSON.stringify(item)}\n`
  const isWhole = describes === undefined ? isObject(item) && isEvent(item) : describes.endsWith('event')
  const { data, ...fields } = isWhole && isObject(item) ? item : { data: item }
  const isJson = typeof data !== 'string' || describes === 'json' || describes === 'json-event'
  const text = data === undefined ? undefined : isJson ? JSON.stringify(data) : String(data)
  const lines = ['event', 'id', 'retry'].flatMap((name) =>
    fields[name] === undefined ? [] : [`${name}: ${String(fields[name]).replaceAll(/[\r\n\0]/g, ' ')}`],
  )
  return `${[...lines, ...(text?.split(/\r\n|\r|\n/).map((line) => `data: ${line}`) ?? [])].join('\n')}\n\n`
}

/** An item that isn't valid JSON is returned as a string. */
export function itemsIn(
  text: string,
  format: StreamFormat,
  describes: ItemSchema['describes'],
): readonly unknown[] {
  if (format === 'lines')
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(jsonOrText)
  if (format === 'sequence') return text.split('\u001E').slice(1).map(jsonOrText)
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map(fieldsOf)
    .filter((fields) => 'data' in fields)
    .map((fields) => {
      const { data = '' } = fields
      if (describes === 'text') return data
      if (describes === 'json') return jsonOrText(data)
      const retry = fields['retry'] === undefined ? {} : { retry: Number(fields['retry']) }
      return { ...fields, ...retry, data: describes === 'json-event' ? jsonOrText(data) : data }
    })
}

function fieldsOf(event: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const line of event.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data' && fields['data'] !== undefined) fields['data'] += `\n${value}`
    else if (name !== '' && EVENT_FIELDS.has(name)) fields[name] = value
  }
  return fields
}
