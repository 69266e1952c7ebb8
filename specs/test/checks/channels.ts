import { contractAjv } from '../../../packages/spec-model/src/index.ts'
import { arrayOf, isObject, objectAt, objectOf, type JsonObject } from '../document.ts'

/** The channels that a client opens: those with an address. Every reference in the document must be resolved. */
export function channelsOf(document: JsonObject): [key: string, channel: JsonObject][] {
  return Object.entries(objectAt(document, 'channels')).flatMap(([key, channel]) =>
    isObject(channel) && typeof channel['address'] === 'string' ? [[key, channel]] : [],
  )
}

/** Payloads that keep a connection alive and that their own message rejects. */
export function channelProblems(document: JsonObject): string[] {
  return channelsOf(document).flatMap(([key, channel]) => {
    const { keepAlive } = objectAt(channel, 'x-socket-rules')
    if (!isObject(keepAlive)) return []
    const message = objectAt(objectAt(channel, 'messages'), String(keepAlive['message']))
    return mismatches(message, keepAlive['payload']).map(
      (reason) => `${key}: the payload of keepAlive ${reason}`,
    )
  })
}

/** Messages without a named example with a summary, and JSON examples that their payload rejects. */
export function messageExampleProblems(document: JsonObject): string[] {
  return channelsOf(document).flatMap(([key, channel]) =>
    Object.entries(objectAt(channel, 'messages')).flatMap(([key_, one]) => {
      const [place, message] = [`${key}/${key_}`, objectOf(one)]
      const examples = arrayOf(message['examples']).map(objectOf)
      if (examples.length === 0) return [`${place}: has no example`]
      return examples.flatMap(({ name, summary, payload }) => {
        if (!name || !summary) return [`${place}: an example has no name or no summary`]
        if (message['contentType'] !== 'application/json') return []
        return mismatches(message, payload).map((reason) => `${place}: the example ${String(name)} ${reason}`)
      })
    }),
  )
}

/** The reasons why the payload of a message rejects a value. */
function mismatches(message: JsonObject, value: unknown): string[] {
  const ajv = contractAjv()
  const validate = ajv.compile(objectAt(message, 'payload'))
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message: text }) => `${instancePath || '/'} ${text}`)
}
