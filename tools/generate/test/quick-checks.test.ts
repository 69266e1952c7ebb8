import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { QuickChecks } from '../src/emit/quick-checks.ts'
import { schemaName } from '../src/normalize/names.ts'
import { readService } from '../src/normalize/service.ts'
import { readSource } from '../src/read/source.ts'
import { type Service, services } from '../src/services.ts'
import { generateService } from '../src/generate.ts'
import { casesOf } from './support/compare.ts'
import { type Schemas, documentOf, inFolder, loadSchemas, testService } from './support/generated.ts'
import { serviceContract } from './support/service-contract.ts'

type Tests = Readonly<Record<string, (value: unknown) => boolean>>

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

/** The functions for these types, by the names of the types. */
function load(quick: QuickChecks, types: readonly string[]): Promise<Tests> {
  const names = types.flatMap((type) => {
    const name = quick.of(type)
    return name === undefined ? [] : [`  ${type}: ${name},`]
  })
  const text = [...quick.print(), `export const tests = {`, ...names, '}'].join('\n')
  return inFolder(new Map([['quick.ts', text]]), async (folder) => {
    const { tests } = (await import(/* @vite-ignore */ join(folder, 'quick.ts'))) as { tests: Tests }
    return tests
  })
}

/** The quick check of one schema; undefined where there is none. */
async function quickly(
  schema: object,
  others: object = {},
): Promise<((value: unknown) => boolean) | undefined> {
  const { schemas } = await readService(
    documentOf({ components: { schemas: { Subject: schema, ...others } } }),
  )
  return (await load(new QuickChecks(schemas), ['Subject']))['Subject']
}

describe.each(subjects)('quick checks of $name', ({ service, folder }) => {
  let tests: Tests
  let schemas: Schemas
  const contract = serviceContract(service, folder)
  const named = [...contract.schemas].filter(([name]) => !contract.others.has(name))

  beforeAll(async () => {
    const read = (file: string) => readSource(join(folder, file), file)
    const model = await readService(
      read(service.openapi),
      service.asyncapi === undefined ? undefined : read(service.asyncapi),
    )
    tests = await load(new QuickChecks(model.schemas), [...model.schemas.keys()])
    const files = await generateService(service, folder)
    schemas = await loadSchemas(
      new Map([...files].map(([file, text]) => [file.slice(file.lastIndexOf('/') + 1), text])),
    )
  })

  it('accept nothing that the contract or the schema refuses, and much of what they accept', () => {
    const makeCases = casesOf(contract.root)
    const wrong: unknown[] = []
    let [right, quick] = [0, 0]
    for (const [name, raw] of named) {
      const test = tests[name]
      const schema = schemas[schemaName(name)]
      if (!test || !schema) continue
      for (const { value, reasons } of makeCases(raw, 200)) {
        const takes = test(value)
        if (takes && (reasons !== undefined || !schema.safeParse(value).success))
          wrong.push({ name, value, reasons })
        if (reasons === undefined) right += 1
        if (takes) quick += 1
      }
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(quick).toBeGreaterThan(200)
    expect(quick / right).toBeGreaterThan(0.5)
  })
})

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

  it('counts units where characters have a limit, and leaves what is near it to the schema', async () => {
    const accepts = await quickly({ type: 'string', minLength: 2, maxLength: 4 })
    expect(['a', 'ab', 'abcd', '\u{1f600}', 'abcde'].map((value) => accepts?.(value))).toEqual([
      false,
      false,
      true,
      false,
      false,
    ])
  })

  it.each<[string, object]>([
    ['a pattern', { type: 'string', pattern: '^a' }],
    ['a format', { type: 'string', format: 'date-time' }],
    ['equal items', { type: 'array', items: text, uniqueItems: true }],
    ['further properties', { type: 'object', additionalProperties: false, properties: { a: text } }],
    ['a map', { type: 'object', additionalProperties: text }],
    [
      'properties that exclude each other',
      { type: 'object', properties: { a: text, b: text }, not: { required: ['a', 'b'] } },
    ],
    [
      'a required property with a pattern',
      { type: 'object', required: ['a'], properties: { a: { type: 'string', pattern: '^a' } } },
    ],
  ])('leaves %s to the schema', async (_, schema) => {
    expect(await quickly(schema)).toBeUndefined()
  })
})
