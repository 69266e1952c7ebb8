import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { expect, it, onTestFinished } from 'vitest'

import { conformance, tableOf } from '../src/corpus/conformance.ts'

/** A folder like a checkout of JSON-Schema-Test-Suite. */
function suiteOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'concord-suite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [file, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), JSON.stringify(value))
  }
  return folder
}

const group = (schema: unknown, ...values: readonly (readonly [data: unknown, valid: boolean])[]) => ({
  description: 'a group',
  schema,
  tests: values.map(([data, valid]) => ({ description: JSON.stringify(data), data, valid })),
})

it('the command for JSON-Schema-Test-Suite counts exact and widened groups, and names each mistake', async () => {
  const rows = await conformance(
    suiteOf({
      'remotes/draft2020-12/integer.json': { type: 'integer' },
      'tests/draft2020-12/ref.json': [
        group({ $ref: 'http://localhost:1234/draft2020-12/integer.json' }, [1, true], ['a', false]),
        group(true, [1, true]),
        // This expectation is wrong on purpose.
        group({ type: 'string' }, ['a', false]),
      ],
      'tests/draft2020-12/wide.json': [
        group({ $dynamicRef: '#a' }, [1, false], [2, true]),
        group({ type: 'string', format: 'uuid' }, ['no', true]),
        group({ allOf: [{ pattern: '[' }, { type: 'string' }] }, [1, true]),
      ],
    }),
  )
  const none = { exact: 0, widened: 0, right: 0, wrong: 0, stricter: 0, formats: 0 }
  expect(rows).toEqual([
    { ...none, keyword: 'ref', exact: 3, right: 3, wrong: 1, mistakes: [expect.stringContaining('ref: a group: "a"')] },
    { ...none, keyword: 'wide', exact: 1, widened: 2, stricter: 1, formats: 1, mistakes: [expect.stringContaining('wide: a group: 1')] },
  ])
  expect(tableOf(rows)).toMatch(/^all +4 +2 +3 +1 +1 +1$/m)
}) // prettier-ignore
