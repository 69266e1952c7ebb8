import { beforeAll, describe, expect, it } from 'vitest'

import { planted, type JsonObject } from '../document.ts'
import { parseAsyncApi } from '../services.ts'
import { channelProblems, channelsOf, messageExampleProblems } from './channels.ts'

const rules = '/channels/liveTranscription/x-socket-rules'
let document: JsonObject

beforeAll(async () => {
  document = (await parseAsyncApi('speech/asyncapi.yaml')).document
})

const plant = (pointer: string, key: string, value?: unknown) => planted(document, pointer, key, value)

describe('channels', () => {
  it('leaves out the channels of webhooks, which have no address', async () => {
    expect(channelsOf((await parseAsyncApi('extraction/asyncapi.yaml')).document)).toEqual([])
  })

  it('finds a keep-alive that its message rejects', () => {
    expect(channelProblems(plant(`${rules}/keepAlive`, 'payload', { type: 'Keepalive' }))).toEqual([
      'liveTranscription: the payload of keepAlive /type must be equal to constant',
    ])
  })
})

describe('examples of messages', () => {
  const keepAlive = '/channels/liveTranscription/messages/keepAlive'

  it.each<[string, string, string, unknown, string]>([
    ['a missing example', keepAlive, 'examples', [], 'liveTranscription/keepAlive: has no example'],
    [
      'an example without a summary',
      `${keepAlive}/examples/0`,
      'summary',
      '',
      'liveTranscription/keepAlive: an example has no name or no summary',
    ],
    [
      'an example that the payload rejects',
      `${keepAlive}/examples/0`,
      'payload',
      {},
      "liveTranscription/keepAlive: the example keepAlive / must have required property 'type'",
    ],
  ])('finds %s in the messages of a channel', (_, pointer, key, value, problem) => {
    expect(messageExampleProblems(plant(pointer, key, value))).toContain(problem)
  })
})
