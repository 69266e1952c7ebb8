import { type ContractNode, perContract } from '../read/contract.ts'
import { fromDraft07 } from '../read/draft-07.ts'
import { type Json, isObject } from '../read/json.ts'
import { pointerSegments } from '../read/pointer.ts'
import { upgraded } from '../read/upgrade.ts'
import { toTypeName } from './definitions.ts'
import { aboutText } from './docs.ts'
import { isFrame, noteFrames, readFrame } from './frame.ts'
import { isJson, isText } from './media.ts'
import { noteUnread } from './members.ts'
import type { MessageModel } from './model.ts'
import { refName, rulesKey } from './rules.ts'
import { readSchema } from './schema.ts'
import { tagsOf } from './tags.ts'
import { type WithTraits, withTraits } from './traits.ts'
import { secretNames } from './walk.ts'

/** A message, without the key that it has in a channel. */
export interface ReadMessage extends Omit<MessageModel, 'key'> {
  readonly node: ContractNode
  /** The schema of the payload. If that schema is a reference, the reference's target. */
  readonly payload: Json
  /** The names of secret properties, whose values are never shown. */
  readonly secrets: readonly string[]
}

/** The messages that were read, by pointer. */
const known = perContract(() => new Map<string, ReadMessage>())

/**
 * Reads the messages of a channel or of the components.
 *
 * @param owner - The name of the channel. The names of messages that aren't components start with it.
 */
export function readMessages(all: ContractNode, owner = ''): ReadonlyMap<string, ReadMessage> {
  const messages = new Map<string, ReadMessage>()
  for (const [key, entry] of all.members()) {
    const message = entry.follow()
    if (message.isObject) messages.set(key, readMessage(message, owner))
  }
  return messages
}

function readMessage(node: ContractNode, owner: string): ReadMessage {
  const { contract, pointer } = node
  const before = known(contract).get(pointer)
  if (before) return before
  const whole = withTraits(node)
  noteUnread('a message', whole)
  const name = nameOf(pointer, owner)
  const message = { node, ...readPayload(whole, name) }
  defineHeaders(whole.at('headers'), name)
  known(contract).set(pointer, message)
  return message
}

function readPayload(whole: WithTraits, name: string): Omit<ReadMessage, 'node'> {
  const { node, raw } = whole
  const { schema, isOpen } = schemaOf(whole)
  const payload = node.contract.resolve(schema.value)
  const contentType = contentTypeOf(whole, payload)
  const about = { contentType, doc: aboutText(raw), payload }
  if (!isJson(contentType)) {
    const kind = isText(contentType) ? 'text' : 'binary'
    const type = kind === 'binary' ? frameType(schema) : undefined
    if (kind === 'text' || !isDefaultBinary(contentType)) {
      const place = raw['contentType'] === undefined ? node : whole.at('contentType')
      place.note(
        `the content of messages of type \`${contentType}\` isn't parsed or checked; it is passed on as ${kind === 'text' ? 'a string' : 'bytes'}`,
      )
    }
    return { ...about, kind, type, tags: [], secrets: [] }
  }
  noteFrames(schema)
  const correlation = correlationOf(whole.at('correlationId'))
  return {
    ...about,
    kind: 'json',
    ...(correlation === undefined ? {} : { correlation }),
    type: define(schema, `${name}Payload`, about.doc),
    tags: isOpen ? [] : tagsOf(node.contract, schema.value),
    secrets: secretNames(node.contract, schema.value),
  }
}

function contentTypeOf({ node, raw }: WithTraits, payload: Json): string {
  if (raw['contentType'] !== undefined) return String(raw['contentType'])
  if (isFrame(payload)) return 'application/octet-stream'
  return String(node.contract.root.raw['defaultContentType'] ?? 'application/json')
}

/** Returns the name of a binary payload's type. Only a component has a named type. */
function frameType(payload: ContractNode): string | undefined {
  const found = payload.raw['$ref'] === undefined ? undefined : payload.contract.component(payload.raw)
  if (!found) {
    readFrame(payload)
    return undefined
  }
  if (payload.contract.definitions.schemas.get(found.name)?.[rulesKey]?.bytes === true) return found.name
  if (!isFrame(found.raw))
    payload.widen(`\`${found.name}\` does not describe bytes, so the payload is not checked`)
  return undefined
}

/**
 * Reads the schema of a payload, and converts it from its schema language. If the language isn't supported, returns a
 * schema that accepts all values (`isOpen`).
 */
function schemaOf(whole: WithTraits): { readonly schema: ContractNode; readonly isOpen: boolean } {
  const payload = whole.at('payload')
  const isWrapped = payload.raw['schemaFormat'] !== undefined
  // In AsyncAPI 2, `schemaFormat` is beside the payload.
  const format = isWrapped ? payload.at('schemaFormat') : whole.at('schemaFormat')
  const inner = isWrapped ? payload.at('schema') : payload
  const schema = inner.with(inner.value ?? true)
  if (format.value === undefined) return { schema, isOpen: false }
  const converted = inWords(String(format.value), schema.value ?? true)
  if (converted !== undefined) return { schema: schema.with(converted), isOpen: false }
  format.widen(
    `schemas in the format \`${String(format.value)}\` are ignored; write an AsyncAPI schema instead`,
  )
  return { schema: schema.with(true), isOpen: true }
}

/** The JSON pointer to the correlation value in the payload. */
function correlationOf(entry: ContractNode): string | undefined {
  if (entry.value === undefined) return undefined
  const found = entry.follow()
  const location = found.isObject ? String(found.raw['location']) : ''
  const path = /^\$message\.payload#(\/.*)$/.exec(location)?.[1]
  if (path === undefined) {
    const place = found.isObject ? found.at('location') : entry
    place.note(
      location === ''
        ? '`correlationId` has no `location`, so clients match replies to messages in the order of the messages'
        : `a WebSocket message has no \`${location}\`, so clients match replies to messages in the order of the messages`,
    )
  }
  return path
}

function defineHeaders(headers: ContractNode, name: string): void {
  if (headers.value === undefined) return
  headers.note(
    'a WebSocket message has no headers, so clients ignore `headers`; the generator only defines a type for `headers`',
  )
  const { schemaFormat: format, schema: inner = true } = headers.raw
  const own = format === undefined ? headers.value : inWords(String(format), inner)
  const schema = readSchema(headers.with(own ?? true))
  if (schema.$ref === undefined) headers.define(`${name}Headers`, schema)
}

/** Defines the type of a payload. A component already has a type. */
function define(payload: ContractNode, type: string, doc: string | undefined): string {
  const schema = readSchema(payload)
  if (schema.$ref !== undefined) return refName(schema.$ref)
  const description = schema.description ?? doc
  return payload.define(type, description === undefined ? schema : { ...schema, description })
}

/** The name of a message: its key if it is a component, or else the name of the channel followed by its key. */
function nameOf(pointer: string, owner: string): string {
  const segments = pointerSegments(pointer.replace(/^[^#]*/, ''))
  const key = segments.at(-1) ?? pointer.replace(/#.*$/s, '').replace(/^.*\//s, '')
  const isComponent = segments.at(-2) === 'messages' && segments.at(-3) === 'components'
  return toTypeName(isComponent ? key : `${owner} ${key}`)
}

/**
 * Converts a schema to the keywords of JSON Schema 2020-12. Returns undefined if the generator doesn't support the
 * schema's language (`format`).
 */
function inWords(format: string, schema: Json): Json | undefined {
  if (/^application\/(?:vnd\.aai\.asyncapi|schema)(?:\+json|\+yaml)?\s*(?:;|$)/i.test(format))
    return isObject(schema) && /draft-0[4-7]/.test(format) ? fromDraft07(schema) : schema
  if (!/^application\/vnd\.oai\.openapi(?:\+json|\+yaml)?\s*(?:;|$)/i.test(format)) return undefined
  return isObject(schema) && /version=["']?3\.0/.test(format) ? upgraded(schema) : schema
}

/** Whether a media type is obviously for bytes. */
function isDefaultBinary(contentType: string): boolean {
  return /^(?:application\/octet-stream|(?:audio|image|video)\/.+)$/i.test(contentType)
}
