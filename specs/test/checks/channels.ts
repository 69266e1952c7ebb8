import { contractAjv } from '../../../packages/spec-model/src/index.ts'
import { isObject, objectAt } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'

/** A channel that a client opens, read from an AsyncAPI document with every reference resolved. */
export interface Channel {
  readonly key: string
  readonly address: string
  readonly value: JsonObject
  /** Keys of the messages that the client sends. */
  readonly sends: readonly string[]
  /** Keys of the messages that the service sends. */
  readonly receives: readonly string[]
}

/** The channels with an address, with their messages by direction. A reply goes the other way. */
export function channelsOf(document: JsonObject): Channel[] {
  return Object.entries(objectAt(document, 'channels')).flatMap(([key, value]) => {
    if (!isObject(value) || typeof value['address'] !== 'string') return []
    const sends = new Set<string>()
    const receives = new Set<string>()
    for (const operation of Object.values(objectAt(document, 'operations'))) {
      if (!isObject(operation) || objectAt(operation, 'channel')['address'] !== value['address']) continue
      const [there, back] = operation['action'] === 'receive' ? [sends, receives] : [receives, sends]
      for (const message of keysOf(value, operation['messages'])) there.add(message)
      for (const message of keysOf(value, objectAt(operation, 'reply')['messages'])) back.add(message)
    }
    return [{ key, address: value['address'], value, sends: [...sends], receives: [...receives] }]
  })
}

/** Payloads that keep a connection alive and that their own message rejects. */
export function channelProblems(document: JsonObject): string[] {
  return channelsOf(document).flatMap(({ key, value }) => {
    const keepAlive = objectAt(value, 'x-socket-rules')['keepAlive']
    if (!isObject(keepAlive)) return []
    return mismatches(messageAt(value, String(keepAlive['message'])), keepAlive['payload']).map(
      (reason) => `${key}: the payload of keepAlive ${reason}`,
    )
  })
}

/** Messages without a named example with a summary, and JSON examples that their payload rejects. */
export function messageExampleProblems(document: JsonObject): string[] {
  return channelsOf(document).flatMap(({ key, value }) =>
    Object.entries(objectAt(value, 'messages')).flatMap(([name, message]) => {
      const examples = isObject(message) && Array.isArray(message['examples']) ? message['examples'] : []
      if (examples.length === 0) return [`${key}/${name}: has no example`]
      return examples.flatMap((example) => {
        if (!isObject(example) || !example['name'] || !example['summary'])
          return [`${key}/${name}: an example has no name or no summary`]
        if (!isObject(message) || message['contentType'] !== 'application/json') return []
        return mismatches(message, example['payload']).map(
          (reason) => `${key}/${name}: the example ${String(example['name'])} ${reason}`,
        )
      })
    }),
  )
}

/** The reasons why the payload of a message rejects a value. */
function mismatches(message: JsonObject, value: Json | undefined): string[] {
  const ajv = contractAjv()
  const validate = ajv.compile(objectAt(message, 'payload'))
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message: text }) => `${instancePath || '/'} ${text}`)
}

const messageAt = (channel: JsonObject, key: string) => objectAt(objectAt(channel, 'messages'), key)

/** The keys of messages in the channel. The parser has put the messages themselves in the place of references. */
function keysOf(channel: JsonObject, messages: Json | undefined): string[] {
  const keys = new Map(
    Object.entries(objectAt(channel, 'messages')).map(([key, one]) => [JSON.stringify(one), key]),
  )
  return (Array.isArray(messages) ? messages : []).map(
    (message) => keys.get(JSON.stringify(message)) ?? `(unknown message)`,
  )
}
