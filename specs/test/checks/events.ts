import { isDeepStrictEqual } from 'node:util'

import { arrayOf, isObject, objectAt, objectOf, resolved, type JsonObject } from '../document.ts'

/**
 * Where the webhooks of an OpenAPI document and the events of an AsyncAPI document say different things.
 *
 * @param openapi the OpenAPI document
 * @param asyncapi the AsyncAPI document with every reference resolved
 */
export function eventDisagreements(openapi: JsonObject, asyncapi: JsonObject): string[] {
  const webhooks = objectAt(openapi, 'webhooks')
  // A channel with an address is one that a client opens: no webhook, and nothing of it is in the OpenAPI document.
  const events = Object.fromEntries(
    Object.entries(objectAt(asyncapi, 'operations')).filter(
      ([, event]) => typeof objectAt(objectOf(event), 'channel')['address'] !== 'string',
    ),
  )
  const names = new Set([...Object.keys(webhooks), ...Object.keys(events)])
  return [...names].flatMap((name) => {
    const webhook = objectAt(objectAt(webhooks, name), 'post')
    const event = objectAt(events, name)
    if (!(name in webhooks)) return [`${name}: is not a webhook of the OpenAPI document`]
    if (!(name in events)) return [`${name}: is not an operation of the AsyncAPI document`]
    return compare(openapi, name, webhook, event)
  })
}

function compare(openapi: JsonObject, name: string, webhook: JsonObject, event: JsonObject): string[] {
  const content = objectAt(resolved(openapi, objectAt(webhook, 'requestBody')), 'content')
  const [contentType = '', media] = Object.entries(content)[0] ?? []
  const body = objectOf(media)
  const messages = arrayOf(event['messages'])
  const message = objectOf(messages[0])
  const schema = inlined(openapi, objectAt(body, 'schema'))
  const constant = objectAt(objectAt(objectOf(schema), 'properties'), 'event')['const']
  const same: readonly [what: string, one: unknown, other: unknown][] = [
    ['the action', 'send', event['action']],
    ['the number of messages', 1, messages.length],
    ['the content type', contentType, message['contentType']],
    ['the name of the event', constant, message['name']],
    ['the summary', webhook['summary'], event['summary']],
    ['the description', webhook['description'], event['description']],
    ['what is not shown', webhook['x-not-shown'], event['x-not-shown']],
    ['the payload', schema, withoutMarks(objectAt(message, 'payload'))],
    [
      'the examples',
      Object.fromEntries(
        Object.entries(objectAt(body, 'examples')).map(([key, one]) => {
          const { summary, value } = objectOf(one)
          return [key, { summary, value }]
        }),
      ),
      Object.fromEntries(
        arrayOf(message['examples'])
          .map(objectOf)
          .map(({ name, summary, payload }) => [name, { summary, value: payload }]),
      ),
    ],
  ]
  return same
    .filter(([, one, other]) => !isDeepStrictEqual(one, other))
    .map(([what]) => `${name}: ${what} is not the same in both documents`)
}

/** A schema with every reference of its document put in place. */
function inlined(document: JsonObject, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => inlined(document, entry))
  if (!isObject(value)) return value
  const target = resolved(document, value)
  const entries = Object.entries(target).map(([key, entry]) => [key, inlined(document, entry)])
  return Object.fromEntries(entries)
}

/** The schema as written: the parser adds marks of its own to what it reads. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith('x-parser-'))
      .map(([key, entry]) => [key, withoutMarks(entry)]),
  )
}
