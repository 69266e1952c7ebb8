import { inCheck, inSchema, plantMistakes } from '@concord/contract-kit'

import { describe, expect, it } from 'vitest'

import { loadSocketSpec, trySocketMistakes, type FindingCode } from '@concord/contract'
import type { ChannelDescriptor } from '@concord/runtime'

import { channels, generated, speechSockets, speechSubject } from './subject.ts'

const planter = await plantMistakes({
  service: 'speech',
  generated,
  subject: speechSubject,
  reports: new URL('../reports/', import.meta.url),
})

planter.inDescriptors()

it('an operation that goes to the wrong server: found as [outside-base]', async () => {
  const wrong = { ...generated.operations['listModels'], server: 'agentUrl' } as never
  const operations = { ...generated.operations, listModels: wrong }
  await planter.expectCaught('another server', 'outside-base', () =>
    speechSubject({ ...generated, operations }),
  )
})

planter.inSources([
  ['a model that is not checked', 'validator', inCheck('ListenModel', `value === 'nova-3'`, `value !== 1`)],
  ['a model that is missing', 'attempts', inSchema('listenModel', `'nova-3',`, '')],
  [
    'a model that is not documented',
    'validator',
    inSchema('listenModel', `'nova-3',`, `'nova-3', 'not a documented value',`),
  ],
  [
    'two operations swapped in the API',
    'path',
    {
      file: 'api.gen.ts',
      from: /listModels: (.*)exchange\(listModels,/,
      to: 'listModels: $1exchange(listThinkModels,',
    },
  ],
])
planter.reportsNothing()

describe('mistakes in the channels', () => {
  const sockets = loadSocketSpec('speech')
  type Change = (channel: ChannelDescriptor) => Partial<ChannelDescriptor>
  const without = <Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
  const nothing = {
    '~standard': { version: 1, vendor: 'a mistake', validate: () => ({ issues: [{ message: 'no' }] }) },
  } as const
  const everything = {
    '~standard': { version: 1, vendor: 'a mistake', validate: (value: unknown) => ({ value }) },
  } as const
  const mistakes: [kind: string, expected: FindingCode, channel: string, change: Change][] = [
    ['a wrong path', 'path', 'liveTranscription', () => ({ address: '/v2/listen' })],
    ['a lost version prefix', 'path', 'agent', () => ({ address: '/agent/converse' })],
    ['the wrong server', 'outside-base', 'agent', () => ({ server: 'apiUrl' })],
    ['lost security', 'security', 'speechStream', () => ({ security: [] })],
    ['an optional credential that is required', 'attempts', 'agent', () => ({ securityOptional: false })],
    [
      'a query that is not checked',
      'validator',
      'liveTranscription',
      () => ({ queryCheck: { schema: () => everything } }),
    ],
    [
      'a query that rejects everything',
      'attempts',
      'conversation',
      () => ({ queryCheck: { schema: () => nothing } }),
    ],
    [
      'a message under another name',
      'outcome',
      'conversation',
      ({ receives }) => ({ receives: without(receives, 'configureSuccess') }),
    ],
    [
      'a catch-all that is lost',
      'decoded',
      'liveTranscription',
      ({ receives }) => ({ receives: without(receives, 'serverEvent') }),
    ],
    [
      'a received message with another schema',
      'drift',
      'conversation',
      ({ receives }) => ({
        receives: {
          ...receives,
          configureFailure: {
            ...receives['configureFailure'],
            check: { schema: () => nothing },
          } as never,
        },
      }),
    ],
    [
      'a sent message that is not checked',
      'validator',
      'conversation',
      ({ sends }) => ({
        sends: {
          ...sends,
          configure: { ...sends['configure'], check: { schema: () => everything } } as never,
        },
      }),
    ],
    [
      'a keep-alive that is lost',
      'rule',
      'liveTranscription',
      ({ rules: { keepAlive: _dropped, ...rules } }) => ({ rules }),
    ],
    [
      'a keep-alive too late',
      'rule',
      'liveTranscription',
      ({ rules }) => ({
        rules: {
          ...rules,
          keepAlive: { ...rules.keepAlive, minIntervalMs: 8_000, maxIntervalMs: 9_000 } as never,
        },
      }),
    ],
    [
      'a keep-alive too often',
      'rule',
      'liveTranscription',
      ({ rules }) => ({
        rules: {
          ...rules,
          keepAlive: { ...rules.keepAlive, minIntervalMs: 500, maxIntervalMs: 1_000 } as never,
        },
      }),
    ],
    [
      'a different keep-alive message',
      'rule',
      'liveTranscription',
      ({ rules }) => ({
        rules: { ...rules, keepAlive: { ...rules.keepAlive, payload: { type: 'Ping' } } as never },
      }),
    ],
    ['a gate that is lost', 'rule', 'agent', ({ rules: { gate: _dropped, ...rules } }) => ({ rules })],
    [
      'settings that are not sent again',
      'rule',
      'agent',
      ({ rules: { replay: _dropped, ...rules } }) => ({ rules }),
    ],
    [
      'a configuration that is not sent again',
      'rule',
      'conversation',
      ({ rules: { replay: _dropped, ...rules } }) => ({ rules }),
    ],
    ['replies that are lost', 'rule', 'conversation', () => ({ replies: {} })],
    [
      'a denying reply that is lost',
      'outcome',
      'conversation',
      () => ({ replies: { configure: ['configureSuccess'] } }),
    ],
  ]
  it.each(mistakes)('%s: found as [%s] (%s)', async (kind, expected, id, change) => {
    const channel = channels[id]
    if (!channel) throw new Error(`there is no channel ${id}`)
    const changed = { ...channels, [id]: { ...channel, ...change(channel) } as ChannelDescriptor }
    const [result] = await trySocketMistakes({
      spec: await sockets,
      mistakes: [{ kind: `${kind} (${id})`, expect: expected, plant: () => speechSockets(changed) }],
    })
    planter.note(result)
    expect(result).toMatchObject({ caught: true, reason: { code: expected } })
  })

  it('the unchanged channels pass', async () => {
    const mistake = { kind: 'none', expect: 'path', plant: () => speechSockets() } as const
    expect(await trySocketMistakes({ spec: await sockets, mistakes: [mistake] })).toEqual([
      { kind: 'none', expect: 'path', caught: false },
    ])
  })
})
