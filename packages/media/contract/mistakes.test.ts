import { mkdir, writeFile } from 'node:fs/promises'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import {
  loadSpec,
  startContractMock,
  tryMistakes,
  type ContractSubject,
  type FindingCode,
  type MistakeResult,
} from '@concord/contract'
import { changedCopy, operationMistakes, type TextChange } from '@concord/contract-kit'

import { generated, mediaSubject } from './subject.ts'

// Many exchanges in one test; a busy machine must not fail it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/**
 * The contract tests put to the test: a mistake is planted in a copy of the generated code, and the suite must fail
 * for the reason that is named.
 */
const spec = await loadSpec('media')
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
      await expectCaught(kind, expected, () => mediaSubject(code))
    },
  )
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
    ['a missing status', 'drift', schemas('taskStatus', `,\n  'THROTTLED'`, '')],
    ['a misspelt status', 'drift', schemas('taskStatus', `'SUCCEEDED'`, `'SUCCEDED'`)],
    [
      'an optional output made required',
      'drift',
      schemas('task', 'output: z.optional(z.array(', 'output: ((one) => one)(z.array('),
    ],
    [
      'a required id made optional',
      'validator',
      schemas('taskSubmission', 'id: z.string()', 'id: z.optional(z.string())'),
    ],
    [
      'a failure that must be a number',
      'drift',
      schemas('task', 'failure: z.optional(z.string())', 'failure: z.optional(z.number())'),
    ],
    ['unknown fields refused', 'drift', schemas('task', 'z.looseObject', 'z.strictObject')],
    ['a model that is missing', 'attempts', schemas('textOrImageModel', `'gen4.5',`, '')],
    [
      'a model that nobody documents',
      'validator',
      schemas('textOrImageModel', `'gen4.5',`, `'gen4.5', 'not a documented value',`),
    ],
    [
      'the version header with another value',
      'header',
      { file: 'operations.gen.ts', from: /value: '2024-11-06'/g, to: `value: '2025-01-01'` },
    ],
    [
      'two operations swapped in the face',
      'path',
      {
        file: 'api.gen.ts',
        from: /getAvatar: (.*)exchange\(getAvatar,/,
        to: 'getAvatar: $1exchange(getDocument,',
      },
    ],
    [
      'a path parameter under another name',
      'attempts',
      { file: 'operations.gen.ts', from: `'/v1/documents/{id}'`, to: `'/v1/documents/{document_id}'` },
    ],
  ]
  it.each(mistakes)('%s: found as [%s]', async (kind, expected, change) => {
    await expectCaught(kind, expected, async () => mediaSubject((await changedCopy('media', change)).code))
  })
})

it('the generated code as it is is accused of nothing', async () => {
  const mistakes = [{ kind: 'none', expect: 'path' as const, plant: () => mediaSubject() }]
  const [result] = await tryMistakes({ spec, prism, mistakes })
  expect(result).toEqual({ kind: 'none', expect: 'path', caught: false })
})
