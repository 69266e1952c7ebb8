import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { schemaName } from '../src/normalize/names.ts'
import { readService } from '../src/normalize/service.ts'
import { readSource } from '../src/read/source.ts'
import { type Service, services } from '../src/services.ts'
import { generateService } from '../src/generate.ts'
import { casesOf } from './support/compare.ts'
import { type Schemas, documentOf, loadSchemas, schemasFrom, testService } from './support/generated.ts'
import { type QuickTests, loadQuick } from './support/quick.ts'
import { serviceContract } from './support/service-contract.ts'

const root = join(import.meta.dirname, '../../..')
const quotes: Service = {
  ...testService,
  openapi: 'quotes/openapi.yaml',
  asyncapi: 'quotes/asyncapi.yaml',
}
const subjects = [
  { name: 'a feed of market data', service: quotes, folder: join(import.meta.dirname, 'fixtures') },
  ...services.map((service) => ({ name: service.name, service, folder: root })),
]

/** The quick check of one schema, if any. */
async function quickly(
  schema: object,
  others: object = {},
): Promise<((value: unknown) => boolean) | undefined> {
  const { schemas } = await readService(
    documentOf({ components: { schemas: { Subject: schema, ...others } } }),
  )
  return (await loadQuick(schemas, ['Subject']))['Subject']
}

describe.each(subjects)('quick checks of $name', ({ service, folder }) => {
  let tests: QuickTests
  let schemas: Schemas
  const contract = serviceContract(service, folder)
  const named = [...contract.schemas].filter(([name]) => !contract.others.has(name))

  beforeAll(async () => {
    const read = (file: string) => readSource(join(folder, file), file)
    const model = await readService(
      read(service.openapi),
      service.asyncapi === undefined ? undefined : read(service.asyncapi),
    )
    tests = await loadQuick(model.schemas, model.schemas.keys())
    const files = await generateService(service, folder)
    schemas = await loadSchemas(
      new Map([...files].map(([file, text]) => [file.slice(file.lastIndexOf('/') + 1), text])),
    )
  })

  it('accept what the contract and the schema accept, and nothing else', () => {
    const makeCases = casesOf(contract.root)
    const wrong: unknown[] = []
    const counts = { accepted: 0, refused: 0 }
    for (const [name, raw] of named) {
      const test = tests[name]
      const schema = schemas[schemaName(name)]
      if (!test || !schema) throw new Error(`${name} has no quick check`)
      for (const { value, reasons } of makeCases(raw, 200)) {
        const takes = test(value)
        counts[takes ? 'accepted' : 'refused'] += 1
        if (takes !== (reasons === undefined) || takes !== schema.safeParse(value).success)
          wrong.push({ name, value, reasons })
      }
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(200)
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

/** Copies of a value: another in its place, and in the place of each of its properties and items. */
function replaced(value: unknown, other: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [other]
  if (Array.isArray(value))
    return [other, [...value, other], ...value.map((_, index) => value.with(index, other))]
  const inside = Object.entries(value).flatMap(([name, child]) =>
    replaced(child, other).map((changed) => ({ ...value, [name]: changed })),
  )
  return [other, ...inside, Object.assign(Object.create({}), value)]
}

describe('a quick check', () => {
  const text = { type: 'string' }

  it('knows required and optional properties, at any depth', async () => {
    const inner = { type: 'object', required: ['at'], properties: { at: { type: 'number' }, word: text } }
    const accepts = await quickly({
      type: 'object',
      required: ['type', 'words'],
      properties: { type: { const: 'heard' }, words: { type: 'array', items: inner }, first: inner },
    })
    for (const value of [
      { type: 'heard', words: [] },
      { type: 'heard', words: [{ at: 1 }, { at: 0.5, word: 'a', more: 1 }], first: { at: 2 }, more: [] },
    ])
      expect(accepts?.(value)).toBe(true)
    for (const value of [
      null,
      [],
      'heard',
      {},
      { type: 'heard' },
      { type: 'said', words: [] },
      { type: 'heard', words: {} },
      { type: 'heard', words: [{}] },
      { type: 'heard', words: [{ at: '1' }] },
      { type: 'heard', words: [{ at: 1, word: null }] },
      { type: 'heard', words: [], first: null },
      { type: 'heard', words: [], first: [] },
    ])
      expect(accepts?.(value)).toBe(false)
  })

  it('never takes a part of one type for another type', async () => {
    const part = { type: 'array', items: { type: 'object', required: ['a'], properties: { a: text } } }
    const components = { Thing: part, Thing1: { enum: [1] } }
    const { schemas } = await readService(documentOf({ components: { schemas: components } }))
    const tests = await loadQuick(schemas, ['Thing', 'Thing1'])
    expect(tests['Thing']?.([{ a: '' }])).toBe(true)
    expect([1, 2, { a: '' }].map((value) => tests['Thing1']?.(value))).toEqual([true, false, false])
  })

  it('follows references, those to itself too', async () => {
    const Tree = {
      type: 'object',
      required: ['name'],
      properties: {
        name: text,
        parts: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      },
    }
    const accepts = await quickly({ $ref: '#/components/schemas/Tree' }, { Tree })
    expect(accepts?.({ name: 'a', parts: [{ name: 'b', parts: [{ name: 'c' }] }] })).toBe(true)
    expect(accepts?.({ name: 'a', parts: [{ name: 'b', parts: [{}] }] })).toBe(false)
  })

  it('takes one branch of a union, and all of a combination', async () => {
    const branch = (name: string) => ({ type: 'object', required: [name], properties: { [name]: text } })
    const either = await quickly({ anyOf: [branch('a'), { type: 'null' }, { enum: [1, 'one'] }] })
    for (const value of [{ a: 'x' }, null, 1, 'one']) expect(either?.(value)).toBe(true)
    for (const value of [{ b: 'x' }, 2, 'two', undefined]) expect(either?.(value)).toBe(false)
    const both = await quickly({ allOf: [branch('a'), branch('b')] })
    expect(both?.({ a: '', b: '' })).toBe(true)
    expect(both?.({ a: '' })).toBe(false)
  })

  it('accepts anything where the contract says nothing, but not that a required property is missing', async () => {
    expect((await quickly({ description: 'Anything.' }))?.(null)).toBe(true)
    const accepts = await quickly({ type: 'object', required: ['a'], properties: { a: {} } })
    expect(accepts?.({ a: null })).toBe(true)
    expect(accepts?.({})).toBe(false)
  })

  it.each<[string, object, readonly unknown[], readonly unknown[]]>([
    [
      'characters, not units',
      { type: 'string', minLength: 2, maxLength: 4 },
      ['ab', 'abcd', '\u{1f600}\u{1f600}', '\u{1f600}'.repeat(4)],
      ['a', '\u{1f600}', 'abcde', '\u{1f600}'.repeat(5)],
    ],
    ['a non-empty string', { type: 'string', minLength: 1 }, ['a', '\u{1f600}'], ['']],
    ['a pattern', { type: 'string', pattern: '^a/\\d' }, ['a/1'], ['a1', 'b']],
    ['a time stamp', { type: 'string', format: 'date-time' }, ['2026-02-28T09:30:00Z'], ['today', 7]],
    ['a date', { type: 'string', format: 'date' }, ['2026-02-28'], ['2026-02-30']],
    ['an address', { type: 'string', format: 'uri' }, ['https://[::1]/a%20b', 'urn:a'], ['a', 'a b:c']],
    ['a UUID', { type: 'string', format: 'uuid' }, ['123e4567-e89b-12d3-a456-426614174000'], ['1']],
    ['whole numbers', { type: 'integer', minimum: 1, exclusiveMaximum: 5 }, [1, 4], [0, 5, 1.5, '1', NaN]],
    ['numbers of 32 bits', { type: 'integer', format: 'int32' }, [-7], [2 ** 31]],
    ['a multiple', { type: 'number', multipleOf: 0.5 }, [0, 1.5], [0.3, Infinity]],
    ['equal items', { type: 'array', items: text, uniqueItems: true }, [[], ['a', 'b']], [['a', 'a'], [1]]],
    ['the length of a list', { type: 'array', items: {}, minItems: 1, maxItems: 2 }, [[1]], [[], [1, 2, 3]]],
    [
      'further properties',
      { type: 'object', additionalProperties: false, properties: { a: text } },
      [{}, { a: '' }],
      [{ b: 1 }, { a: '', b: undefined }],
    ],
    [
      'a map',
      { type: 'object', additionalProperties: text },
      [{}, { a: '', constructor: '' }, Object.create(null), runInNewContext('({ a: "" })')],
      [{ a: 1 }, [], new Map(), { [Symbol('a')]: '' }, Object.create(new Map())],
    ],
    [
      'the number of properties',
      { type: 'object', additionalProperties: {}, minProperties: 1, maxProperties: 2 },
      [{ a: 1 }],
      [{}, { a: 1, b: 1, c: 1 }],
    ],
    [
      'properties that exclude each other',
      { type: 'object', properties: { a: text, b: text }, not: { required: ['a', 'b'] } },
      [{}, { a: '' }, { b: '' }],
      [{ a: '', b: '' }],
    ],
    ['holes in a list', { type: 'array', items: text }, [['a']], [Object.assign([], { length: 1 })]],
  ])('knows %s', async (_, schema, right, wrong) => {
    const accepts = await quickly(schema)
    expect(right.filter((value) => accepts?.(value) !== true)).toEqual([])
    expect(wrong.filter((value) => accepts?.(value) !== false)).toEqual([])
    // As the schema does.
    const { subject } = await schemasFrom({ Subject: schema })
    expect(right.filter((value) => subject?.safeParse(value).success !== true)).toEqual([])
    expect(wrong.filter((value) => subject?.safeParse(value).success !== false)).toEqual([])
  })
})
