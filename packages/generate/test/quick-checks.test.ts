import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

import { describe, expect, it } from 'vitest'

import { readService } from '../src/normalize/service.ts'
import type { Service } from '../src/services.ts'
import { documentOf, printed, schemasFrom, testService } from './support/generated.ts'
import { loadQuick } from './support/quick.ts'
import { testQuickChecks } from './support/test-quick-checks.ts'

const quotes: Service = {
  ...testService,
  openapi: 'quotes/openapi.yaml',
  asyncapi: 'quotes/asyncapi.yaml',
}

testQuickChecks('a feed of market data', quotes, join(import.meta.dirname, 'fixtures'))

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

  it('takes a $ref in the value of an enum for data', async () => {
    const value = { $ref: '#/components/schemas/Missing' }
    const document = documentOf({ components: { schemas: { Subject: { enum: [value, { $ref: '' }] } } } })
    const model = await readService(document)
    expect((await printed(model)).get('types.gen.ts')).toContain('Subject')
    const accepts = (await loadQuick(model.schemas, ['Subject']))['Subject']
    expect(accepts?.(value)).toBe(true)
    expect(accepts?.({ $ref: 'a' })).toBe(false)
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
