import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { schemaName } from '../../src/normalize/names.ts'
import { services } from '../support/chosen.ts'
import { committedFiles } from '../support/committed.ts'
import { casesOf, compare } from '../support/compare.ts'
import { type Schemas, accepted, bindings, loadSchemas } from '../support/generated.ts'
import { serviceContract } from '../support/service-contract.ts'

const root = join(import.meta.dirname, '../../../..')
const valuesPerSchema = 300

for (const service of services) {
  const contract = serviceContract(service, root)
  const makeCases = casesOf(contract.root)
  const names = [...new Set([...contract.schemas.keys(), ...contract.others.keys()])]
  const expected = [...contract.schemas]
    .filter(([name]) => !contract.others.has(name))
    .map(([name, raw]) => ({ name, cases: makeCases(raw, valuesPerSchema) }))

  describe.each(bindings)(`${service.name}, bound to %s`, (zod) => {
    let schemas: Schemas

    beforeAll(async () => {
      const files = committedFiles(service)
      schemas = await loadSchemas(files, zod)
    })

    it('has a schema for every component, every operation and every channel, and no other', () => {
      expect(Object.keys(schemas).sort()).toEqual(names.map(schemaName).sort())
    })

    const others = [...contract.others].flatMap(([name, kind]) =>
      kind === 'several kinds' ? [] : [[name, kind] as const],
    )
    it.each(others)('%s takes %s and no JSON', (name, kind) => {
      const values = [new Uint8Array(2), new Blob(['a']), undefined, '', {}, null, [1, 2]]
      const own = { bytes: 0, blob: 1, nothing: 2 }[kind]
      expect(accepted(schemas, schemaName(name), values)).toEqual([values[own]])
    })

    it.each(expected)(
      '$name judges as the contract does, and returns values unchanged',
      ({ name, cases }) => {
        const schema = schemas[schemaName(name)]
        if (!schema) throw new Error(`there is no schema for ${name}`)
        const { tried, accepted: taken, disagreements } = compare(cases, schema)
        expect(disagreements.slice(0, 3)).toEqual([])
        expect(tried).toBe(valuesPerSchema)
        // Both verdicts must have been seen, where both are possible.
        expect(taken).toBeGreaterThan(valuesPerSchema / 10)
        if (!isOpen(schema)) expect(taken).toBeLessThan(valuesPerSchema)
      },
    )
  })
}

/** Whether a schema accepts a sample of every kind of value. */
function isOpen(schema: Schemas[string]): boolean {
  return [null, 0, 'a', [], {}, true].every((value) => schema.safeParse(value).success)
}
