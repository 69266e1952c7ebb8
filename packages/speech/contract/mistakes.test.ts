import { inCheck, inSchema, plantMistakes, socketSubject } from '@concord/contract-kit'
import { describe, expect, it } from 'vitest'

import { trySocketMistakes, type FindingCode, type PlantedSocketMistake } from '@concord/contract'
import type { ChannelDescriptor, StandardSchema } from '@concord/runtime'
import type { MessageDescriptor } from '@concord/runtime/internal'

import { tested, testedSockets } from './subject.ts'

const planter = await plantMistakes(tested)

planter.inDescriptors()

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
  const { channels } = testedSockets
  const attempt = async (mistake: Omit<PlantedSocketMistake, 'plant'>, changed: typeof channels) => {
    const plant = () => socketSubject({ ...testedSockets, channels: changed })
    const [result] = await trySocketMistakes({ spec: 'speech', mistakes: [{ ...mistake, plant }] })
    return result
  }
  type Change = (channel: ChannelDescriptor) => Partial<ChannelDescriptor>
  const without = <Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
  const schemaOf = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
    '~standard': { version: 1, vendor: 'a mistake', validate },
  })
  const nothing = schemaOf(() => ({ issues: [{ message: 'no' }] }))
  const everything = schemaOf((value) => ({ value }))
  /** Replaces a message of the channel by one with another schema. */
  const checkedBy = (messages: ChannelDescriptor['sends'], key: string, schema: StandardSchema) => ({
    ...messages,
    [key]: { ...messages[key], check: { schema: () => schema } } as MessageDescriptor,
  })
  const withoutRule =
    (rule: string): Change =>
    ({ rules }) => ({ rules: without(rules as Record<string, never>, rule) })
  const keepAlive =
    (changed: Partial<NonNullable<ChannelDescriptor['rules']['keepAlive']>>): Change =>
    ({ rules }) => ({ rules: { ...rules, keepAlive: { ...rules.keepAlive!, ...changed } } })
  const receivesNo =
    (key: string): Change =>
    ({ receives }) => ({ receives: without(receives, key) })
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
    ['a message under another name', 'outcome', 'conversation', receivesNo('configureSuccess')],
    ['a catch-all that is lost', 'decoded', 'liveTranscription', receivesNo('serverEvent')],
    [
      'a received message with another schema',
      'drift',
      'conversation',
      ({ receives }) => ({ receives: checkedBy(receives, 'configureFailure', nothing) }),
    ],
    [
      'a sent message that is not checked',
      'validator',
      'conversation',
      ({ sends }) => ({ sends: checkedBy(sends, 'configure', everything) }),
    ],
    ['a keep-alive that is lost', 'rule', 'liveTranscription', withoutRule('keepAlive')],
    [
      'a keep-alive too late',
      'rule',
      'liveTranscription',
      keepAlive({ minIntervalMs: 8_000, maxIntervalMs: 9_000 }),
    ],
    [
      'a keep-alive too often',
      'rule',
      'liveTranscription',
      keepAlive({ minIntervalMs: 500, maxIntervalMs: 1_000 }),
    ],
    ['a different keep-alive message', 'rule', 'liveTranscription', keepAlive({ payload: { type: 'Ping' } })],
    ['a gate that is lost', 'rule', 'agent', withoutRule('gate')],
    ['settings that are not sent again', 'rule', 'agent', withoutRule('replay')],
    ['a configuration that is not sent again', 'rule', 'conversation', withoutRule('replay')],
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
    const result = await attempt({ kind: `${kind} (${id})`, expect: expected }, changed)
    planter.note(result)
    expect(result).toMatchObject({ caught: true, reason: { code: expected } })
  })

  it('the unchanged channels pass', async () => {
    const mistake = { kind: 'none', expect: 'path' } as const
    expect(await attempt(mistake, channels)).toEqual({ ...mistake, caught: false })
  })
})
