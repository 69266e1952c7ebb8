import { describe, expect, it } from 'vitest'

import { schemaName } from '../src/normalize/names.ts'
import { documentOf, loadSchemas, modelOf, printed } from './support/generated.ts'

/** Words of TypeScript, of zod, of the platform and of hey-api, names that differ little, and names of other scripts. */
const NAMES = [
  ...`Location Document From Bigint BigInt Type Any History Window Object Function Array Map Set Date Error Promise Symbol
  Number String Boolean Unknown Never Null Undefined Void Record Partial Omit Blob File Response Request Headers Buffer
  Infer Input Output ZodType Z Zod Optional Nullable Default Class Enum Import Await Arguments Eval Let Static Yield Process
  Global GlobalThis Module Require Exports ClientOptions BinaryInput BinaryContent Check Checks IsUri IsOneOf
  AcceptsThing Thing TestApi CallOptions Client Exchange Send Spec`.split(/\s+/),
  'foo-bar', 'Foo_bar', 'FooBar', 'fooBar', 'foo bar', 'foo.bar', 'JSONValue', 'JsonValue', 'json-value', '1st', '2.0', '007', '-', '_', '$',
  '名前', 'Ünï', 'ünï', 'ДАННЫЕ', 'a/b', 'a~b', 'a%20b', '100%', 'constructor', 'toString', 'hasOwnProperty', '__proto', 'DoThingInput', 'doThingOutput',
  'DoThingResponse200', 'doThing', '²', 'Ⅳ', '٣', '１', 'Σ', 'σ', 'ς', '𝒳', 'İ', 'ı', 'ẞ', 'ﬀ', 'a\u0301', 'á', '\u202Eabc', 'a\0b', '👩‍👧', `${'x'.repeat(10_000)}`,
] // prettier-ignore

const reference = (name: string) => ({
  $ref: `#/components/schemas/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
})

const source = documentOf({
  paths: {
    '/things': {
      post: {
        operationId: 'doThing',
        parameters: [{ name: 'from', in: 'query', schema: reference('From') }],
        responses: { '200': { description: '', content: { 'application/json': { schema: { type: 'string' } } } } },
      },
      get: { operationId: 'do-thing', responses: { '204': { description: '' } } },
      put: { responses: { '204': { description: '' } } },
      delete: { operationId: 'delete', responses: { '204': { description: '' } } },
    },
  },
  components: {
    schemas: {
      // Each one accepts another string, and is used by two others.
      ...Object.fromEntries(NAMES.map((name) => [name, { type: 'string', enum: [name, 'every'], pattern: '^[^]*$' }])),
      User: { type: 'object', properties: Object.fromEntries(NAMES.map((name) => [name, reference(name)])) },
      Caller: { type: 'object', propertyNames: { format: 'uri', maxLength: 9 }, additionalProperties: reference('IsUri') },
    },
  },
}) // prettier-ignore

describe('names of schemas and operations', () => {
  it('become legal names of types, schemas and functions, each of them once, and the same in each run', async () => {
    const [model, again] = await Promise.all([1, 2].map(() => modelOf(source)))
    const types = [...(model?.schemas.keys() ?? [])]
    expect(types).toEqual([...(again?.schemas.keys() ?? [])])
    for (const type of types) expect(type).toMatch(/^\p{Lu}[\p{L}\p{N}]*$/u)
    const all = [...types, ...types.map(schemaName)]
    expect(new Set(all).size).toBe(all.length)
    expect(new Set(types.map((type) => type.toLowerCase())).size).toBe(types.length)
    expect(model?.operations.map(({ id }) => id)).toEqual([
      'doThing2',
      'putThings',
      'doThing',
      'deleteOperation',
    ])
  })

  it('leave names alone that are right already, whatever comes before them', async () => {
    const { schemas } = await modelOf(source)
    for (const name of ['FooBar', 'Location', 'Document', 'From', 'Bigint', 'Thing', 'Window', 'Number'])
      expect(schemas.has(name)).toBe(true)
  })

  it('lead to the schemas that they are the names of', async () => {
    const model = await modelOf(source)
    const schemas = await loadSchemas(await printed(model))
    const user = schemas['user']
    for (const name of NAMES) {
      expect(user?.safeParse({ [name]: name }).success).toBe(true)
      expect({ name, is: user?.safeParse({ [name]: `${name}?` }).success }).toEqual({ name, is: false })
    }
    expect(schemas['caller']?.safeParse({ 'a:b': 'IsUri' }).success).toBe(true)
    expect(schemas['caller']?.safeParse({ 'a:b': 'a:b' }).success).toBe(false)
    expect(schemas['caller']?.safeParse({ a: 'IsUri' }).success).toBe(false)
  })
})
