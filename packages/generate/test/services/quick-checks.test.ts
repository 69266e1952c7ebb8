import { join } from 'node:path'

import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { schemaName } from '../../src/normalize/names.ts'
import { readService } from '../../src/normalize/service.ts'
import { readSource } from '../../src/read/source.ts'
import { services } from '../support/chosen.ts'
import { committedFiles } from '../support/committed.ts'
import { casesOf } from '../support/compare.ts'
import { type Schemas, loadSchemas } from '../support/generated.ts'
import { type QuickTests, loadQuick } from '../../src/corpus/quick.ts'
import { serviceContract } from '../support/service-contract.ts'

const root = join(import.meta.dirname, '../../../..')

describe.each(services)('quick checks of $name', (service) => {
  let tests: QuickTests
  let schemas: Schemas
  const contract = serviceContract(service, root)
  const named = [...contract.schemas].filter(([name]) => !contract.others.has(name))

  beforeAll(async () => {
    const read = (file: string) => readSource(join(root, file), file)
    const model = await readService(
      read(service.openapi),
      service.asyncapi === undefined ? undefined : read(service.asyncapi),
    )
    tests = await loadQuick(model.schemas, model.schemas.keys())
    schemas = await loadSchemas(committedFiles(service))
  })

  it('accept what the contract and the schema accept, and nothing else', () => {
    const makeCases = casesOf(contract.root)
    const wrong: unknown[] = []
    const counts = { accepted: 0, rejected: 0 }
    for (const [name, raw] of named) {
      const test = tests[name]
      const schema = schemas[schemaName(name)]
      if (!test || !schema) throw new Error(`${name} has no quick check`)
      for (const { value, reasons } of makeCases(raw, 200)) {
        const takes = test(value)
        counts[takes ? 'accepted' : 'rejected'] += 1
        if (takes !== (reasons === undefined) || takes !== schema.safeParse(value).success)
          wrong.push({ name, value, reasons })
      }
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(200)
  })

  it("accept nothing that the schema rejects, not even values that aren't JSON", () => {
    const makeCases = casesOf(contract.root)
    const strange = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      maxDepth: 1,
    })
    const wrong: unknown[] = []
    for (const [name, raw] of named) {
      const fitting = makeCases(raw, 40).filter(({ reasons }) => reasons === undefined)
      const values = fc.sample(strange, { numRuns: 8 * fitting.length, seed: 7 })
      for (const [index, { value }] of fitting.entries())
        for (const changed of values.slice(8 * index, 8 * index + 8).flatMap((one) => replaced(value, one)))
          if (
            tests[name]?.(changed) === true &&
            schemas[schemaName(name)]?.safeParse(changed).success !== true
          )
            wrong.push({ name, changed })
    }
    expect(wrong.slice(0, 3)).toEqual([])
  })
})

/** Copies of a value in which the value itself, or one of its properties or items, is replaced by another value. */
function replaced(value: unknown, other: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [other]
  if (Array.isArray(value))
    return [other, [...value, other], ...value.map((_, index) => value.with(index, other))]
  const inside = Object.entries(value).flatMap(([name, child]) =>
    replaced(child, other).map((changed) => ({ ...value, [name]: changed })),
  )
  return [other, ...inside, Object.assign(Object.create({}), value)]
}
