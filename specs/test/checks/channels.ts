import { contractAjv } from '../../../packages/spec-model/src/index.ts'
import { isObject, objectAt } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'

/** The channels that a client opens: those with an address. Every reference in the document must be resolved. */
export function channelsOf(document: JsonObject): [key: string, channel: JsonObject][] {
  return Object.entries(objectAt(document, 'channels')).flatMap(([key, channel]) =>
    isObject(channel) && typeof channel['address'] === 'string' ? [[key, channel]] : [],
  )
}

/** Payloads that keep a connection alive and that their own message rejects. */
export function channelProblems(document: JsonObject): string[] {
  return channelsOf(document).flatMap(([key, channel]) => {
    const keepAlive = objectAt(channel, 'x-socket-rules')['keepAlive']
    if (!isObject(keepAlive)) return []
    return mismatches(messageAt(channel, String(keepAlive['message'])), keepAlive['payload']).map(
      (reason) => `${key}: the payload of keepAlive ${reason}`,
    )
  })
}

/** Messages without a named example with a summary, and JSON examples that their payload rejects. */
export function messageExampleProblems(document: JsonObject): string[] {
  return channelsOf(document).flatMap(([key, channel]) =>
    Object.entries(objectAt(channel, 'messages')).flatMap(([name, message]) => {
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
