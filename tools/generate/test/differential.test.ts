import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { generateService } from '../src/generate.ts'
import { schemaName } from '../src/normalize/names.ts'
import { readSource } from '../src/read/source.ts'
import { services } from '../src/services.ts'
import { casesOf, compare } from './support/compare.ts'
import { contractSchemas } from './support/contract-schemas.ts'
import { type Schemas, bindings, loadSchemas } from './support/generated.ts'

const root = join(import.meta.dirname, '../../..')
const valuesPerSchema = 300

for (const service of services) {
  const { value: contract } = readSource(join(root, service.openapi), service.openapi)
  const makeCases = casesOf(contract)
  const expected = [...contractSchemas(contract)].map(([name, raw]) => ({
    name,
    cases: makeCases(raw, valuesPerSchema),
  }))

  describe.each(bindings)(`${service.name}, bound to %s`, (zod) => {
    let schemas: Schemas

    beforeAll(async () => {
      const files = await generateService(service, root)
      schemas = await loadSchemas(
        new Map([...files].map(([file, text]) => [file.slice(file.lastIndexOf('/') + 1), text])),
        zod,
      )
    })

    it('has a schema for every component and every operation, and no other', () => {
      expect(Object.keys(schemas).sort()).toEqual(expected.map(({ name }) => schemaName(name)).sort())
    })

    it.each(expected)(
      '$name judges as the contract does, and gives values back unchanged',
      ({ name, cases }) => {
        const schema = schemas[schemaName(name)]
        if (!schema) throw new Error(`there is no schema for ${name}`)
        const { tried, accepted, disagreements } = compare(cases, schema)
        expect(disagreements.slice(0, 3)).toEqual([])
        expect(tried).toBe(valuesPerSchema)
        // Both verdicts must have been seen, where both are possible.
        expect(accepted).toBeGreaterThan(valuesPerSchema / 10)
        if (!isOpen(schema)) expect(accepted).toBeLessThan(valuesPerSchema)
      },
    )
  })
}

/** Whether a schema accepts a sample of everything. */
function isOpen(schema: Schemas[string]): boolean {
  return [null, 0, 'a', [], {}, true].every((value) => schema.safeParse(value).success)
}
