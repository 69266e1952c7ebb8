import { describe, expect, it } from 'vitest'

import { asObject } from '../src/read/json.ts'
import { schemaName } from '../src/normalize/names.ts'
import { casesOf, compare } from './support/compare.ts'
import { bindings, departuresOf, generate, loadSchemas, modelOf, schemasOf } from './support/generated.ts'
import { loadQuick } from '../src/corpus/quick.ts'
import { randomSchemas } from './support/random-contract.ts'

/** The number of schemas in each random contract, and of values for each schema. */
const [schemaCount, valueCount] = [40, 100]

describe.each([1, 1001])(
  'a contract made up from seed %i out of every keyword that can be expressed',
  (seed) => {
    const source = schemasOf(randomSchemas(schemaCount, seed))
    const components = source.value['components']
    const raws = asObject(asObject(components)['schemas'])
    const makeCases = casesOf(source.value)
    const expected = Object.entries(raws).map(([name, raw]) => ({
      name,
      raw,
      cases: makeCases(raw, valueCount),
    }))

    it.each(bindings)(
      'is judged alike by Ajv and by the schemas generated from it, bound to %s',
      async (zod) => {
        const schemas = await loadSchemas(await generate(source), zod)
        for (const { name, raw, cases } of expected) {
          const schema = schemas[schemaName(name)]
          const found = schema ? compare(cases, schema).disagreements.slice(0, 2) : 'no schema'
          expect({ name, raw, found }).toEqual({ name, raw, found: [] })
        }
      },
    )

    it('is judged alike by Ajv and by the quick checks', async () => {
      const model = await modelOf(source)
      expect(departuresOf(model)).toEqual([])
      const tests = await loadQuick(
        model.schemas,
        expected.map(({ name }) => name),
      )
      // Every keyword that can be expressed can be checked quickly.
      expect(Object.keys(tests)).toHaveLength(schemaCount)
      for (const { name, raw, cases } of expected) {
        const wrong = cases.filter(({ value, reasons }) => tests[name]?.(value) !== (reasons === undefined))
        expect({ name, raw, wrong: wrong.slice(0, 2) }).toEqual({ name, raw, wrong: [] })
      }
    })
  },
)
