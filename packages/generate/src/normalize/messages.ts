import type { Contract } from '../read/contract.ts'
import { fromDraft07 } from '../read/draft-07.ts'
import { type Json, type JsonObject, asObject, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import { upgraded } from '../read/upgrade.ts'
import { aboutText } from './docs.ts'
import { isFrame, noteFrames, readFrame } from './frame.ts'
import { isJson, isText } from './media.ts'
import { noteUnread } from './members.ts'
import type { MessageModel } from './model.ts'
import { refName, rulesKey } from './rules.ts'
import { readSchema } from './schema.ts'
import { toTypeName } from './definitions.ts'
import { tagsOf } from './tags.ts'
import { type WithTraits, withTraits } from './traits.ts'
import { secretNames } from './walk.ts'

/** A message without its key in a channel. */
export interface ReadMessage extends Omit<MessageModel, 'key'> {
  /** The place of the message. */
  readonly pointer: string
  /** The payload as it is in the contract, with references followed. */
  readonly payload: Json
  /** The names of secret properties, whose values are never shown. */
  readonly secrets: readonly string[]
}

/** Reads each message of an AsyncAPI document once. */
export class Messages {
  readonly #contract: Contract
  readonly #found = new Map<string, ReadMessage>()

  constructor(contract: Contract) {
    this.#contract = contract
  }

  /**
   * Reads every message of a map, following references. Returns the messages by their keys. `owner` is the name of
   * their channel, which becomes part of the names of messages that aren't components.
   */
  readAll(raw: Json | undefined, at: string, owner = ''): Map<string, ReadMessage> {
    const messages = new Map<string, ReadMessage>()
    for (const [key, entry] of Object.entries(asObject(raw))) {
      const { raw: message, pointer } = this.#contract.follow(entry, childPointer(at, key))
      if (isObject(message)) messages.set(key, this.#read(message, pointer, owner))
    }
    return messages
  }

  #read(raw: JsonObject, pointer: string, owner: string): ReadMessage {
    const before = this.#found.get(pointer)
    if (before) return before
    const whole = withTraits(this.#contract, raw, pointer)
    noteUnread(this.#contract, 'a message', whole.raw, whole.placeOf)
    const message = this.#readPayload(whole, pointer, owner)
    this.#defineHeaders(whole, nameOf(pointer, owner))
    this.#found.set(pointer, message)
    return message
  }

  #readPayload(whole: WithTraits, pointer: string, owner: string): ReadMessage {
    const { raw, placeOf } = whole
    const { schema: payload, at, isOpen } = this.#schemaOf(whole)
    const contentType = this.#contentType(raw, payload)
    const about = { contentType, doc: aboutText(raw), pointer, payload: this.#contract.resolve(payload) }
    if (!isJson(contentType)) {
      const kind = isText(contentType) ? 'text' : 'binary'
      const type = kind === 'binary' ? this.#frameType(payload, at) : undefined
      if (kind === 'text' || !isDefaultBinary(contentType))
        this.#contract.note(
          raw['contentType'] === undefined ? pointer : placeOf('contentType'),
          `the content of messages of type \`${contentType}\` isn't parsed or checked; it is passed on as ${kind === 'text' ? 'a string' : 'bytes'}`,
        )
      return { ...about, kind, type, tags: [], secrets: [] }
    }
    noteFrames(this.#contract, payload, at)
    const correlation = this.#correlation(whole)
    return {
      ...about,
      kind: 'json',
      ...(correlation === undefined ? {} : { correlation }),
      type: this.#define(payload, at, nameOf(pointer, owner), about.doc),
      tags: isOpen ? [] : tagsOf(this.#contract, payload),
      secrets: secretNames(this.#contract, payload),
    }
  }

  /** The schema of a payload, which may be in another schema language. */
  #schemaOf({ raw, placeOf }: WithTraits): {
    readonly schema: Json
    readonly at: string
    readonly isOpen: boolean
  } {
    const payload = raw['payload'] ?? true
    const at = placeOf('payload')
    const isWrapped = isObject(payload) && payload['schemaFormat'] !== undefined
    // In AsyncAPI 2, `schemaFormat` is beside the payload.
    const format = isWrapped ? payload['schemaFormat'] : raw['schemaFormat']
    const inner = isWrapped ? (payload['schema'] ?? true) : payload
    const place = isWrapped ? childPointer(at, 'schema') : at
    const schema = format === undefined ? inner : inWords(String(format), inner)
    if (schema !== undefined) return { schema, at: place, isOpen: false }
    this.#contract.widen(
      isWrapped ? childPointer(at, 'schemaFormat') : placeOf('schemaFormat'),
      `schemas in the format \`${String(format)}\` are ignored; write an AsyncAPI schema instead`,
    )
    return { schema: true, at: place, isOpen: true }
  }

  /** The JSON pointer of the value in a payload by which a reply is matched. */
  #correlation({ raw, placeOf }: WithTraits): string | undefined {
    if (raw['correlationId'] === undefined) return undefined
    const at = placeOf('correlationId')
    const { raw: found, pointer } = this.#contract.follow(raw['correlationId'], at)
    const location = isObject(found) ? String(found['location']) : ''
    const path = /^\$message\.payload#(\/.*)$/.exec(location)?.[1]
    if (path === undefined)
      this.#contract.note(
        isObject(found) ? childPointer(pointer, 'location') : at,
        `a WebSocket message has no \`${location}\`, so replies are matched in the order of their messages`,
      )
    return path
  }

  /** Defines a type for the headers of messages of other protocols. WebSocket messages have no headers. */
  #defineHeaders({ raw, placeOf }: WithTraits, name: string): void {
    const headers = raw['headers']
    if (headers === undefined) return
    const at = placeOf('headers')
    this.#contract.note(at, '`headers` becomes a type only, because a WebSocket message has no headers')
    const inner =
      isObject(headers) && headers['schemaFormat'] !== undefined
        ? inWords(String(headers['schemaFormat']), headers['schema'] ?? true)
        : headers
    const schema = readSchema(this.#contract, inner ?? true, at)
    if (schema.$ref === undefined) this.#contract.define(`${name}Headers`, schema, at)
  }

  /**
   * Returns the media type of the message, or else the media type of bytes if the payload is bytes, or else the
   * document's default.
   */
  #contentType(raw: JsonObject, payload: Json): string {
    if (raw['contentType'] !== undefined) return String(raw['contentType'])
    if (isFrame(this.#contract.resolve(payload))) return 'application/octet-stream'
    return String(this.#contract.root['defaultContentType'] ?? 'application/json')
  }

  /** Returns the type of a payload of bytes, if the document has a name for it. */
  #frameType(payload: Json, at: string): string | undefined {
    const found =
      isObject(payload) && payload['$ref'] !== undefined ? this.#contract.component(payload) : undefined
    if (!found) {
      readFrame(this.#contract, payload, at)
      return undefined
    }
    if (this.#contract.definitions.schemas.get(found.name)?.[rulesKey]?.bytes === true) return found.name
    if (!isFrame(found.raw)) this.#contract.widen(at, `\`${found.name}\` does not stand for bytes`)
    return undefined
  }

  /** Defines the type of a payload. It is the type of the component if the payload is one, or else `<name>Payload`. */
  #define(payload: Json, at: string, name: string, doc: string | undefined): string {
    const schema = readSchema(this.#contract, payload, at)
    if (schema.$ref !== undefined) return refName(schema.$ref)
    const type = `${name}Payload`
    const description = schema.description ?? doc
    const described = description === undefined ? schema : { ...schema, description }
    return this.#contract.define(type, described, at)
  }
}

/** The name of a message: its key if it is a component, or else the name of the channel followed by its key. */
function nameOf(pointer: string, owner: string): string {
  const segments = pointerSegments(pointer.replace(/^[^#]*/, ''))
  const key = segments.at(-1) ?? pointer.replace(/#.*$/s, '').replace(/^.*\//s, '')
  const isComponent = segments.at(-2) === 'messages' && segments.at(-3) === 'components'
  return toTypeName(isComponent ? key : `${owner} ${key}`)
}

/** Returns a schema with the keywords of JSON Schema 2020-12, or undefined if its schema language isn't supported. */
function inWords(format: string, schema: Json): Json | undefined {
  if (/^application\/(?:vnd\.aai\.asyncapi|schema)(?:\+json|\+yaml)?\s*(?:;|$)/i.test(format))
    return isObject(schema) && /draft-0[4-7]/.test(format) ? fromDraft07(schema) : schema
  if (!/^application\/vnd\.oai\.openapi(?:\+json|\+yaml)?\s*(?:;|$)/i.test(format)) return undefined
  return isObject(schema) && /version=["']?3\.0/.test(format) ? upgraded(schema) : schema
}

/** Whether a media type says only that a message is bytes. */
function isDefaultBinary(contentType: string): boolean {
  return /^(?:application\/octet-stream|(?:audio|image|video)\/.+)$/i.test(contentType)
}
