import { beforeAll, describe, expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'
import { parseAsyncApi } from '../services.ts'
import { channelProblems, channelsOf, messageExampleProblems } from './channels.ts'
import { extensionProblems } from './extensions.ts'

const words = readDocument('extensions.schema.json')
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

  it.each<[string, string, string, Json, string]>([
    [
      'a keep-alive that the client does not send',
      `${rules}/keepAlive`,
      'message',
      'serverEvent',
      'liveTranscription: x-socket-rules names serverEvent, which the client does not send',
    ],
    [
      'a gate that no operation sends',
      '/channels/agent/x-socket-rules/gate',
      'message',
      'hello',
      'agent: x-socket-rules names hello, which the client does not send',
    ],
    [
      'a replay of what the service sends',
      '/channels/conversation/x-socket-rules',
      'replay',
      ['configureSuccess'],
      'conversation: x-socket-rules names configureSuccess, which the client does not send',
    ],
    [
      'intervals that are the wrong way round',
      `${rules}/keepAlive`,
      'minIntervalMs',
      6000,
      'liveTranscription: the shortest interval of keepAlive is longer than the longest',
    ],
    [
      'a keep-alive that comes too late',
      rules,
      'idleCloseMs',
      5000,
      'liveTranscription: keepAlive comes after idleCloseMs',
    ],
    [
      'a keep-alive that its message rejects',
      `${rules}/keepAlive`,
      'payload',
      { type: 'Keepalive' },
      'liveTranscription: the payload of keepAlive /type must be equal to constant',
    ],
  ])('find %s', (_, pointer, key, value, problem) => {
    expect(channelProblems(set(pointer, key, value))).toEqual([problem])
  })

  it('find a message that no operation sends', () => {
    const mistaken = planted(document, (copy) => {
      at(copy, '/operations/configureConversation')['reply'] = {}
    })
    expect(channelProblems(mistaken)).toEqual([
      'conversation: no operation sends configureSuccess',
      'conversation: no operation sends configureFailure',
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

describe('x-socket-rules', () => {
  const written = readDocument('speech/asyncapi.yaml')
  const problems = (pointer: string, key: string, value: Json) =>
    extensionProblems(
      planted(written, (copy) => {
        at(copy, pointer)[key] = value
      }),
      words,
    )

  it.each<[string, string, string, Json]>([
    ['an unknown rule', rules, 'idleCloseSeconds', 10],
    ['no rule at all', '/channels/speechStream', 'x-socket-rules', {}],
    ['a keep-alive without a spacing', rules, 'keepAlive', { message: 'keepAlive', payload: {} }],
    ['a spacing in words', `${rules}/keepAlive`, 'maxIntervalMs', '5 s'],
    ['a rule that is switched off', rules, 'emptyBinaryCloses', false],
    ['a gate that is not an object', '/channels/agent/x-socket-rules', 'gate', 'settings'],
    ['an empty replay', '/channels/agent/x-socket-rules', 'replay', []],
    ['rules at an operation', '/operations/takeText', 'x-socket-rules', { emptyBinaryCloses: true }],
  ])('find %s', (_, pointer, key, value) => {
    expect(problems(pointer, key, value)).not.toEqual([])
  })
})
