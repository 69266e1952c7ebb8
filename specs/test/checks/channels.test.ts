import { beforeAll, describe, expect, it } from 'vitest'

import { at, planted } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'
import { parseAsyncApi } from '../services.ts'
import { channelProblems, channelsOf, messageExampleProblems } from './channels.ts'

const rules = '/channels/liveTranscription/x-socket-rules'
let document: JsonObject

beforeAll(async () => {
  document = (await parseAsyncApi('speech/asyncapi.yaml')).document
})

const set = (pointer: string, key: string, value: Json) =>
  planted(document, (copy) => {
    at(copy, pointer)[key] = value
  })

describe('channels', () => {
  it('of webhooks are left out: they have no address', async () => {
    expect(channelsOf((await parseAsyncApi('extraction/asyncapi.yaml')).document)).toEqual([])
  })

  it('find a keep-alive that its message rejects', () => {
    expect(channelProblems(set(`${rules}/keepAlive`, 'payload', { type: 'Keepalive' }))).toEqual([
      'liveTranscription: the payload of keepAlive /type must be equal to constant',
    ])
  })
})

describe('examples of messages', () => {
  const keepAlive = '/channels/liveTranscription/messages/keepAlive'

  it.each<[string, string, string, Json, string]>([
    ['a missing one', keepAlive, 'examples', [], 'liveTranscription/keepAlive: has no example'],
    [
      'one without a summary',
      `${keepAlive}/examples/0`,
      'summary',
      '',
      'liveTranscription/keepAlive: an example has no name or no summary',
    ],
    [
      'one that the payload rejects',
      `${keepAlive}/examples/0`,
      'payload',
      {},
      "liveTranscription/keepAlive: the example keepAlive / must have required property 'type'",
    ],
  ])('find %s', (_, pointer, key, value, problem) => {
    expect(messageExampleProblems(set(pointer, key, value))).toContain(problem)
  })
})
