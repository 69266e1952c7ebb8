import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { Definitions } from './definitions.ts'
import { aboutText } from './docs.ts'
import { isFrame, readFrame, refuseFrames } from './frame.ts'
import { isBinary, isJson } from './media.ts'
import type { MessageModel } from './model.ts'
import { pascalCase } from './names.ts'
import { refName, rulesKey } from './rules.ts'
import { readSchema } from './schema.ts'
import { tagsOf } from './tags.ts'
import { type WithTraits, withTraits } from './traits.ts'
import { secretNames } from './walk.ts'

/** A message, without the key that it has in a channel. */
export interface ReadMessage extends Omit<MessageModel, 'key'> {
  /** Where it stands. */
  readonly pointer: string
  /** Its payload as the contract has it, references followed. */
  readonly payload: Json
  /** Names in it whose values are never shown. */
  readonly secrets: readonly string[]
}

/** Members of a message besides its payload; none of them changes the payload. */
const besidePayload = new Set([
  'bindings',
  'contentType',
  'description',
  'examples',
  'externalDocs',
  'name',
  'payload',
  'summary',
  'tags',
  'title',
])

/** Reads the messages of an AsyncAPI document, each of them once. */
export class Messages {
  readonly #contract: Contract
  readonly #definitions: Definitions
  readonly #found = new Map<string, ReadMessage>()

  constructor(contract: Contract, definitions: Definitions) {
    this.#contract = contract
    this.#definitions = definitions
  }

  /**
   * Reads every message of a map, following references. Returns them by their keys. `owner` is the channel that
   * messages without a name of their own belong to.
   */
  readAll(raw: Json | undefined, at: string, owner = ''): Map<string, ReadMessage> {
    const messages = new Map<string, ReadMessage>()
    for (const [key, entry] of Object.entries(isObject(raw) ? raw : {})) {
      const { raw: message, pointer } = this.#contract.follow(entry, childPointer(at, key))
      if (isObject(message)) messages.set(key, this.#read(message, pointer, owner))
    }
    return messages
  }

  #read(raw: JsonObject, pointer: string, owner: string): ReadMessage {
    const known = this.#found.get(pointer)
    if (known) return known
    const whole = withTraits(this.#contract, raw, pointer)
    for (const key of Object.keys(whole.raw)) {
      if (besidePayload.has(key) || key.startsWith('x-')) continue
      this.#contract.refuse(whole.placeOf(key), `\`${key}\` of a message is not read`)
    }
    const message = this.#readPayload(whole, pointer, owner)
    this.#found.set(pointer, message)
    return message
  }

  #readPayload({ raw, placeOf }: WithTraits, pointer: string, owner: string): ReadMessage {
    const payload = raw['payload'] ?? true
    const at = placeOf('payload')
    const contentType = this.#contentType(raw, payload)
    const about = { contentType, doc: aboutText(raw), pointer, payload: this.#contract.resolve(payload) }
    if (isBinary(contentType)) {
      return { ...about, kind: 'binary', type: this.#frameType(payload, at), tags: [], secrets: [] }
    }
    refuseFrames(this.#contract, payload, at)
    if (!isJson(contentType)) {
      this.#contract.refuse(
        raw['contentType'] === undefined ? pointer : placeOf('contentType'),
        `a message of the type \`${contentType}\` is not read; only JSON and bytes are`,
      )
    }
    return {
      ...about,
      kind: 'json',
      type: this.#define(payload, at, nameOf(pointer, owner), about.doc),
      tags: tagsOf(this.#contract, payload),
      secrets: secretNames(this.#contract, payload),
    }
  }

  /** That of the message; else bytes where the payload is bytes, and that of the document where it is not. */
  #contentType(raw: JsonObject, payload: Json): string {
    if (raw['contentType'] !== undefined) return String(raw['contentType'])
    if (isFrame(this.#contract.resolve(payload))) return 'application/octet-stream'
    return String(this.#contract.root['defaultContentType'] ?? 'application/json')
  }

  /** The type of bytes that this document has a name for. */
  #frameType(payload: Json, at: string): string | undefined {
    const found =
      isObject(payload) && payload['$ref'] !== undefined ? this.#contract.component(payload) : undefined
    if (!found) {
      readFrame(this.#contract, payload, at)
      return undefined
    }
    if (this.#definitions.schemas.get(found.name)?.[rulesKey]?.bytes === true) return found.name
    if (!isFrame(found.raw)) this.#contract.refuse(at, `\`${found.name}\` does not stand for bytes`)
    return undefined
  }

  /** A payload that is a component stays that; another gets `name` and `Payload`. */
  #define(payload: Json, at: string, name: string, doc: string | undefined): string {
    if (isObject(payload) && payload['schemaFormat'] !== undefined) {
      const place = childPointer(at, 'schemaFormat')
      this.#contract.refuse(
        place,
        'another language of schemas is not read; write the schema as AsyncAPI does',
      )
      return 'unknown'
    }
    const schema = readSchema(this.#contract, payload, at)
    if (schema.$ref !== undefined) return refName(schema.$ref)
    const type = `${name}Payload`
    const description = schema.description ?? doc
    const described = description === undefined ? schema : { ...schema, description }
    return this.#definitions.add(type, described, at, this.#contract)
  }
}

/** A message under components has a name of its own; one of a channel has that of the channel before its key. */
function nameOf(pointer: string, owner: string): string {
  const key = pascalCase(pointer.slice(pointer.lastIndexOf('/') + 1))
  return pointer.startsWith('#/components/messages/') ? key : pascalCase(owner) + key
}
