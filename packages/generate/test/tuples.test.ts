import { describe, expect, it } from 'vitest'

import { readService } from '../src/normalize/service.ts'
import { accepted, loadSchemas, printed, schemasOf } from './support/generated.ts'
import { oraclesOf } from './support/oracle.ts'
import { loadQuick } from '../src/corpus/quick.ts'

const [text, number] = [{ type: 'string' }, { type: 'number' }]
const schemas = {
  Pair: { type: 'array', prefixItems: [text, number], items: false, minItems: 2 },
  Same: { type: 'array', prefixItems: [number, number], minItems: 2, maxItems: 2 },
  One: { type: 'array', prefixItems: [{ $ref: '#/components/schemas/Pair' }], items: false, minItems: 1 },
  Closed: { type: 'array', prefixItems: [{ type: 'object', additionalProperties: false, properties: { a: text } }, {}], items: false, minItems: 2 },
  Or: { type: ['array', 'null'], prefixItems: [{ enum: ['a', 'b'] }, { anyOf: [text, { type: 'null' }] }], items: false, minItems: 2 },
  Open: { type: 'array', prefixItems: [text, number] },
  Short: { type: 'array', prefixItems: [text, number], items: false },
  Unique: { type: 'array', prefixItems: [number, number], items: false, minItems: 2, uniqueItems: true },
} // prettier-ignore

describe('an array with a schema for each item', () => {
  it('is a tuple if it has exactly these items, and an array otherwise', async () => {
    const types = (await printed(await readService(schemasOf(schemas)))).get('types.gen.ts') ?? ''
    const typeOf = (name: string) => new RegExp(`export type ${name} = ([^]*?)\\n(?:\\n|$)`).exec(types)?.[1]?.replaceAll(/\s+/g, ' ') // prettier-ignore
    expect(Object.keys(schemas).map((name) => [name, typeOf(name)])).toEqual([
      ['Pair', '[ string, number ]'],
      ['Same', '[ number, number ]'],
      ['One', '[ Pair ]'],
      ['Closed', '[ { a?: string | undefined }, unknown ]'],
      ['Or', "([ 'a' | 'b', string | null ] | null)"],
      ['Open', 'Array<unknown>'],
      ['Short', 'Array<string | number>'],
      ['Unique', '[ number, number ]'],
    ])
  })

  it('is judged as Ajv judges it', async () => {
    const source = schemasOf(schemas)
    const model = await readService(source)
    const zod = await loadSchemas(await printed(model))
    const quick = await loadQuick(model.schemas, model.schemas.keys())
    const oracles = oraclesOf(source.value)
    const parts = ['a', 1, 2, null, {}, { a: 'a' }, { b: 1 }, ['a', 1]]
    const values = [null, [], ...parts.map((one) => [one]), ...parts.flatMap((one) => parts.map((other) => [one, other])), ['a', 1, 1]] // prettier-ignore
    for (const [name, schema] of Object.entries(schemas)) {
      const oracle = oracles(schema as never)
      const right = values.filter((value) => oracle.judge(value) === undefined)
      expect(right.length).toBeGreaterThan(0)
      expect(accepted(zod, name.toLowerCase(), values)).toEqual(right)
      expect(values.filter((value) => quick[name]?.(value))).toEqual(right)
    }
  })
})
