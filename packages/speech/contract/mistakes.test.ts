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

import { generated, speechSubject } from './subject.ts'

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
    const wrong = { ...generated.operations['listApiKeys'], server: 'authUrl' } as never
    const operations = { ...generated.operations, listApiKeys: wrong }
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
    [
      'a required secret made optional',
      'validator',
      schemas('tokenResponse', 'refresh_token: refreshToken', 'refresh_token: z.optional(refreshToken)'),
    ],
    ['a field under another name', 'drift', schemas('tokenResponse', 'expires_in:', 'expiresIn:')],
    ['a null that is lost', 'drift', schemas('apiKey', 'expiresAt: z.nullish(', 'expiresAt: z.optional(')],
    ['unknown fields refused', 'validator', schemas('apiKey', 'z.looseObject', 'z.strictObject')],
    [
      'an open status that is closed',
      'validator',
      { file: 'schemas.gen.ts', from: /(export const apiKeyStatus = )[^\n]*/, to: `$1z.enum(['active'])` },
    ],
    [
      'two operations swapped in the face',
      'attempts',
      {
        file: 'api.gen.ts',
        from: /refreshToken: (.*)exchange\(refreshToken,/,
        to: 'refreshToken: $1exchange(exchangeCode,',
      },
    ],
    [
      'a path parameter under another name',
      'attempts',
      { file: 'operations.gen.ts', from: `'/v1/api-keys/{key_id}'`, to: `'/v1/api-keys/{id}'` },
    ],
  ]
  it.each(mistakes)('%s: found as [%s]', async (kind, expected, change) => {
    await expectCaught(kind, expected, async () => speechSubject((await changedCopy('speech', change)).code))
  })
})

it('the generated code as it is is accused of nothing', async () => {
  const mistakes = [{ kind: 'none', expect: 'path' as const, plant: () => speechSubject() }]
  const [result] = await tryMistakes({ spec, prism, mistakes })
  expect(result).toEqual({ kind: 'none', expect: 'path', caught: false })
})
