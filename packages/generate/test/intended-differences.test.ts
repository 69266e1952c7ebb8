import { beforeAll, describe, expect, it } from 'vitest'

import { intendedDifferences } from './support/differences.ts'
import {
  type Schemas,
  documentOf,
  generate,
  loadSchemas,
  schemasFrom,
  schemasOf,
} from './support/generated.ts'
import { oraclesOf } from './support/oracle.ts'

const bytes = { type: 'string', contentMediaType: 'application/octet-stream' }

/** A schema, and a value about which the generated schema and the contract disagree. */
const examples: Record<
  (typeof intendedDifferences)[number]['name'],
  { readonly schema: object; readonly value: unknown; readonly ours: boolean }
> = {
  'open enum': { schema: { type: 'string', enum: ['a'], 'x-open-enum': true }, value: 'b', ours: true },
  'bytes in a form': {
    schema: { type: 'object', properties: { file: bytes } },
    value: { file: new Blob() },
    ours: true,
  },
  'the name __proto__': {
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    value: JSON.parse('{"__proto__": 7}'),
    ours: true,
  },
  'multiples of more than 1e21 steps': { schema: { type: 'number', multipleOf: 1 }, value: 1e21, ours: true },
  'multiples of a fraction': { schema: { type: 'number', multipleOf: 0.01 }, value: 19.99, ours: true },
}

describe('the intended differences from JSON Schema', () => {
  let schemas: Schemas
  const contract = Object.fromEntries(
    Object.entries(examples).map(([, { schema }], index) => [`Thing${index}`, schema]),
  )

  beforeAll(async () => {
    schemas = await schemasFrom(contract)
  })

  it.each(Object.entries(examples).map(([name, example], index) => ({ name, index, ...example })))(
    'occur: $name',
    async ({ name, index, schema, value, ours }) => {
      expect(intendedDifferences.map((difference): string => difference.name)).toContain(name)
      const generated = name === 'bytes in a form' ? await asForm(schema) : schemas[`thing${index}`]
      expect(generated?.safeParse(value).success).toBe(ours)
      const oracle = oraclesOf(schemasOf({}).value)(structuredClone(schema) as never)
      expect(oracle.judge(value) === undefined).toBe(!ours)
    },
  )

  it('are all in this test', () => {
    expect(intendedDifferences.map(({ name }) => name)).toEqual(Object.keys(examples))
  })
})

/** The schema of a form. Only in a form, a string means bytes. */
async function asForm(schema: object): Promise<Schemas[string] | undefined> {
  const content = { 'multipart/form-data': { schema: { $ref: '#/components/schemas/Form' } } }
  const post = {
    operationId: 'sendForm',
    'x-retry': { class: 'never' },
    'x-outcome': { again: 'repeats' },
    requestBody: { content },
    responses: { '204': { description: '' } },
  }
  const source = documentOf({ paths: { '/': { post } }, components: { schemas: { Form: schema } } })
  return (await loadSchemas(await generate(source)))['form']
}
