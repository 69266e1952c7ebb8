import { expect, it } from 'vitest'

import { asyncApiFormErrors } from './asyncapi-form.ts'

const info = { title: 'Test', version: '1.0.0' }
const reference = { $ref: '#/channels/live' }

it.each(['3.0.0', '3.1.0'] as const)(
  'names each place of a document that AsyncAPI %s does not allow',
  (version) => {
    const found = asyncApiFormErrors(
      {
        asyncapi: version,
        info: { title: 'Test', versoin: '1.0.0' },
        channels: {
          live: { address: 7, messages: { tell: { payload: { type: 'strin' }, name: 1 }, other: reference } },
        },
        operations: { tell: { action: 'tell', channel: reference }, ask: { action: 'send', channel: {} } },
        components: { securitySchemes: { key: { type: 'secret' } } },
      },
      version,
    )
    expect(Object.fromEntries(found.map(({ pointer, reason }) => [pointer, reason]))).toEqual({
      '#/info': '`version` is missing',
      '#/info/versoin': '`versoin` is not allowed here',
      '#/channels/live/address': 'must be string,null',
      '#/channels/live/messages/tell/name': 'must be string',
      '#/operations/tell/action': 'it must be send or receive',
      '#/operations/ask/channel': '`$ref` is missing',
      '#/components/securitySchemes/key': 'it has none of the forms that are allowed here',
    })
  },
)

it('finds nothing in a document that is as AsyncAPI wants it', () => {
  const channels = {
    live: { address: '/live', bindings: { kafka: { anything: true }, ws: { query: { type: 'object' } } } },
  }
  expect(asyncApiFormErrors({ asyncapi: '3.0.0', info, channels }, '3.0.0')).toEqual([])
})
