import { mkdir, writeFile } from 'node:fs/promises'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import {
  loadSocketSpec,
  loadSpec,
  startContractMock,
  tryMistakes,
  trySocketMistakes,
  type ContractSubject,
  type FindingCode,
  type MistakeResult,
} from '@concord/contract'
import { changedCopy, operationMistakes, type TextChange } from '@concord/contract-kit'

import type { ChannelDescriptor } from '@concord/runtime'

import { channels, generated, speechSockets, speechSubject } from './subject.ts'

// Many exchanges in one test; a busy machine must not fail it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/**
 * The contract tests put to the test: a mistake is planted in a copy of the generated code, and the suite must fail
 * for the reason that is named.
 */
const spec = await loadSpec('speech')
let prism: Awaited<ReturnType<typeof startContractMock>>
const results: MistakeResult[] = []

beforeAll(async () => {
  prism = await startContractMock(spec)
})
afterAll(async () => {
  await prism.close()
  const folder = new URL('../reports/', import.meta.url)
  await mkdir(folder, { recursive: true })
  await writeFile(new URL('planted-mistakes.json', folder), JSON.stringify(results, null, 2))
})

async function expectCaught(
  kind: string,
  expected: FindingCode,
  plant: () => ContractSubject | Promise<ContractSubject>,
): Promise<void> {
  const [result] = await tryMistakes({ spec, prism, mistakes: [{ kind, expect: expected, plant }] })
  if (result) results.push(result)
  expect(result).toMatchObject({ caught: true, reason: { code: expected } })
}

describe('mistakes in the descriptors', () => {
  it.each(operationMistakes(generated))(
    '$kind: found as [$expect]',
    async ({ kind, expect: expected, code }) => {
      await expectCaught(kind, expected, () => speechSubject(code))
    },
  )

  it('an operation that goes to the wrong server: found as [outside-base]', async () => {
    const wrong = { ...generated.operations['listModels'], server: 'agentUrl' } as never
    const operations = { ...generated.operations, listModels: wrong }
    await expectCaught('another server', 'outside-base', () => speechSubject({ ...generated, operations }))
  })
})

describe('mistakes in the generated sources', () => {
  const schemas = (name: string, from: string, to: string): TextChange => ({
    file: 'schemas.gen.ts',
    from: new RegExp(
      `(export const ${name} = [^]*?)${from.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`,
    ),
    to: `$1${to}`,
  })
  const mistakes: [kind: string, expected: FindingCode, change: TextChange][] = [
    ['a model that is missing', 'attempts', schemas('listenModel', `'nova-3',`, '')],
    [
      'a model that nobody documents',
      'validator',
      schemas('listenModel', `'nova-3',`, `'nova-3', 'not a documented value',`),
    ],
    [
      'two operations swapped in the face',
      'path',
      {
        file: 'api.gen.ts',
        from: /listModels: (.*)exchange\(listModels,/,
        to: 'listModels: $1exchange(listThinkModels,',
      },
    ],
  ]
  it.each(mistakes)('%s: found as [%s]', async (kind, expected, change) => {
    await expectCaught(kind, expected, async () => speechSubject((await changedCopy('speech', change)).code))
  })
})

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
    ['a wrong address', 'path', 'liveTranscription', () => ({ address: '/v2/listen' })],
    ['a lost version prefix', 'path', 'agent', () => ({ address: '/agent/converse' })],
    ['the wrong server', 'outside-base', 'agent', () => ({ server: 'apiUrl' })],
    ['lost security', 'security', 'speechStream', () => ({ security: [] })],
    [
      'a query that is not checked',
      'validator',
      'liveTranscription',
      () => ({ querySchema: () => everything }),
    ],
    ['a query that refuses everything', 'attempts', 'conversation', () => ({ querySchema: () => nothing })],
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
      'a received message of another form',
      'drift',
      'conversation',
      ({ receives }) => ({
        receives: {
          ...receives,
          configureFailure: { ...receives['configureFailure'], schema: () => nothing } as never,
        },
      }),
    ],
    [
      'a sent message that is not checked',
      'validator',
      'conversation',
      ({ sends }) => ({
        sends: { ...sends, configure: { ...sends['configure'], schema: () => everything } as never },
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
      'another keep-alive',
      'rule',
      'liveTranscription',
      ({ rules }) => ({
        rules: { ...rules, keepAlive: { ...rules.keepAlive, payload: { type: 'Ping' } } as never },
      }),
    ],
    ['a gate that is lost', 'rule', 'agent', ({ rules: { gate: _dropped, ...rules } }) => ({ rules })],
    ['replies that are lost', 'rule', 'conversation', () => ({ replies: {} })],
    [
      'a refusing reply that is lost',
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
    if (result) results.push(result)
    expect(result).toMatchObject({ caught: true, reason: { code: expected } })
  })

  it('the channels as they are are accused of nothing', async () => {
    const mistake = { kind: 'none', expect: 'path', plant: () => speechSockets() } as const
    expect(await trySocketMistakes({ spec: await sockets, mistakes: [mistake] })).toEqual([
      { kind: 'none', expect: 'path', caught: false },
    ])
  })
})

it('the generated code as it is is accused of nothing', async () => {
  const mistakes = [{ kind: 'none', expect: 'path' as const, plant: () => speechSubject() }]
  const [result] = await tryMistakes({ spec, prism, mistakes })
  expect(result).toEqual({ kind: 'none', expect: 'path', caught: false })
})
