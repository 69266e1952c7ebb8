import { runInNewContext } from 'node:vm'

import { beforeAll, describe, expect, it } from 'vitest'

import {
  type Schemas,
  accepted,
  generate,
  loadSchemas,
  modelOf,
  schemasFrom,
  schemasOf,
} from '../../test/support/generated.ts'
import { loadQuick } from '../corpus/quick.ts'
import { schemaName } from '../normalize/names.ts'

const text = { type: 'string' }

/** One contract for all rules, so that it is generated once. */
const contract = {
  Text: { ...text, minLength: 2, maxLength: 3 },
  Exact: { ...text, minLength: 2, maxLength: 2 },
  NonEmpty: { ...text, minLength: 1 },
  Id: { ...text, format: 'uuid' },
  Address: { ...text, format: 'uri' },
  Day: { ...text, format: 'date' },
  Moment: { ...text, format: 'date-time' },
  Pattern: { ...text, pattern: '^\\p{Lu}/' },
  Both: { ...text, pattern: 'a', format: 'uri' },
  Integer: { type: 'integer' },
  Int32: { type: 'integer', format: 'int32' },
  Range: { type: 'number', minimum: 1, exclusiveMaximum: 2 },
  Step: { type: 'number', multipleOf: 0.5, exclusiveMinimum: 0, maximum: 2 },
  Closed: { ...text, enum: ['a', 'b'] },
  Open: { ...text, enum: ['a', 'b'], 'x-open-enum': true },
  Mixed: { enum: ['a', 1, true, null] },
  Constant: { const: 7 },
  NullConstant: { const: null },
  Nullable: { type: ['string', 'null'], maxLength: 1 },
  NullableRef: { anyOf: [{ $ref: '#/components/schemas/Text' }, { type: 'null' }] },
  Several: { type: ['string', 'integer'], maxLength: 1, minimum: 5 },
  Anything: {},
  List: { type: 'array', items: { $ref: '#/components/schemas/Text' }, minItems: 1, maxItems: 2 },
  ExactList: { type: 'array', minItems: 2, maxItems: 2 },
  Texts: { type: 'array', items: text },
  Unique: { type: 'array', uniqueItems: true },
  NullableItems: { type: 'array', items: { type: ['string', 'null'] } },
  Map: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Text' } },
  LooseObject: { type: 'object', required: ['a', 'b', 'c'], properties: { a: text, b: {}, d: { ...text, default: 'x' } } },
  ClosedObject: { type: 'object', additionalProperties: false, properties: { a: text } },
  Few: { type: 'object', minProperties: 1, maxProperties: 2 },
  Exclusive: { type: 'object', properties: { a: text, b: text, c: text }, not: { required: ['a', 'b'] } },
  Without: { type: 'object', properties: { a: text, b: text }, not: { anyOf: [{ required: ['c'] }, { required: ['d'] }, { required: ['a', 'b'] }] } },
  Either: { anyOf: [{ type: 'object', required: ['a'], properties: { a: text } }, { type: 'null' }, { enum: [1, 'one'] }] },
  Union: { anyOf: [{ ...text, pattern: '^a' }, { ...text, pattern: '^b' }, { type: 'integer', multipleOf: 2 }, { type: 'integer', multipleOf: 3 }] },
  Together: { allOf: [{ type: 'object', required: ['a'], properties: { a: text } }, { type: 'object', required: ['b'], properties: { b: text } }] },
  Kind: {
    oneOf: ['a', 'b'].map((kind) => ({ type: 'object', required: ['kind', kind], properties: { kind: { const: kind }, [kind]: text } })),
  },
  Word: { type: 'object', required: ['at'], properties: { at: { type: 'number' }, word: text } },
  Heard: {
    type: 'object',
    required: ['type', 'words'],
    properties: { type: { const: 'heard' }, words: { type: 'array', items: { $ref: '#/components/schemas/Word' } }, first: { $ref: '#/components/schemas/Word' } },
  },
  Words: { type: 'array', minItems: 1, items: { anyOf: [{ $ref: '#/components/schemas/Word' }, { $ref: '#/components/schemas/Heard' }], discriminator: { propertyName: 'type' } } },
  Tree: { type: 'object', required: ['name'], properties: { name: text, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } },
  Leaf: { type: 'object', properties: { branch: { $ref: '#/components/schemas/Branch' } } },
  Branch: { type: 'object', required: ['leaf'], properties: { leaf: { $ref: '#/components/schemas/Leaf' } } },
  UndeclaredBesideTexts: { type: 'object', required: ['id'], additionalProperties: text },
  OnlyConstructor: { type: 'object', properties: { constructor: text }, additionalProperties: false },
  NameAndConstructor: { type: 'object', properties: { constructor: text, name: text }, required: ['name'], additionalProperties: false },
  UndeclaredBesidePattern: { type: 'object', required: ['id'], patternProperties: { '^i': { type: 'integer' } }, additionalProperties: text },
  UnlessUndeclared: { type: 'object', not: { type: 'object', required: ['id'], additionalProperties: text } },
  Default: { type: 'object', properties: { 'a b': text, class: text, '0': text } },
} // prettier-ignore

/** For each schema, values that it accepts, and values that it rejects. */
const verdicts: Record<string, readonly [yes: readonly unknown[], no: readonly unknown[]]> = {
  text: [['ab', 'abc', '📄📄📄'], ['', 'a', '📄', 'abcd', '📄📄📄📄', null, 7]],
  exact: [['ab', '📄📄'], ['📄', 'abc']],
  nonEmpty: [['a', '📄'], ['']],
  id: [['123e4567-e89b-12d3-a456-426614174000'], ['1', null]],
  address: [['https://[::1]/a%20b', 'urn:a'], ['a', 'a b:c']],
  day: [['2026-02-28'], ['2026-02-30']],
  moment: [['2026-02-28T09:30:00Z'], ['today', 7]],
  pattern: [['Ä/'], ['ä/', '/', 'xÄ/']],
  both: [['a:b'], ['a', 'x:b', '']],
  integer: [[0, -1, 1.0, 2 ** 53 + 2, 1e300], [0.5, '1', NaN, Infinity, 1n]],
  int32: [[-(2 ** 31), 2 ** 31 - 1], [2 ** 31, -(2 ** 31) - 1, 1.5]],
  range: [[1, 1.99], [0.99, 2, '1']],
  step: [[0.5, 2], [0, 0.7, 2.5, Infinity]],
  closed: [['a', 'b'], ['c', 'A', null]],
  open: [['a', 'zzz', ''], [null, 1]],
  mixed: [['a', 1, true, null], ['b', 2, false, undefined]],
  constant: [[7], [8, '7']],
  nullConstant: [[null], [undefined, 0, 'null']],
  nullable: [[null, 'a', ''], [undefined, 'ab']],
  nullableRef: [[null, 'ab'], ['a', undefined]],
  several: [['a', 5], ['ab', 4, 5.5, null]],
  anything: [[null, 0, 'a', [], {}], []],
  list: [[['ab'], ['ab', 'cd']], [[], ['a'], ['ab', 'cd', 'ef'], 'ab', null]],
  exactList: [[[1, null]], [[], [1], [1, 2, 3]]],
  texts: [[[], ['a']], [['a', 1], 'a', Object.assign([], { length: 1 })]],
  unique: [[[], [1, '1'], [{ a: 1 }, { a: 2 }], [[1], [2]], [0, null, false]], [[1, 1], [{ a: 1, b: 2 }, { b: 2, a: 1 }], [[], []], [0, -0]]],
  nullableItems: [[[], ['a', null]], [[1], [undefined]]],
  map: [
    [{}, { any: 'ab' }, Object.create(null), runInNewContext('({ any: "ab" })')],
    [{ any: 'a' }, [], null, 'ab', new Map(), { [Symbol('any')]: 'ab' }, Object.create(new Map())],
  ],
  looseObject: [[{ a: '', b: null, c: 1 }, { a: '', b: 0, c: null, e: 1 }], [{ a: '', b: 0 }, { a: '', c: 0 }, { a: '', b: 0, c: 0, d: 1 }, [], null]],
  closedObject: [[{}, { a: '' }], [{ b: 1 }, { a: 1 }, { a: '', b: undefined }]],
  few: [[{ a: 1 }, { a: 1, b: 2 }], [{}, { a: 1, b: 2, c: 3 }]],
  exclusive: [[{}, { a: '' }, { b: '', c: '' }], [{ a: '', b: '' }, { a: '', b: '', c: '' }]],
  without: [[{}, { a: '' }, { b: '', e: 1 }], [{ c: 1 }, { a: '', d: null }, { c: 1, d: 1 }, { a: '', b: '' }]],
  either: [[{ a: 'x' }, null, 1, 'one'], [{ b: 'x' }, 2, 'two', undefined]],
  union: [['a', 'b', 2, 3], ['c', 5, null]],
  together: [[{ a: '', b: '' }], [{ a: '' }, { b: '' }, {}]],
  kind: [[{ kind: 'a', a: '' }, { kind: 'b', b: '' }], [{ kind: 'a', b: '' }, { kind: 'c' }, {}]],
  heard: [
    [{ type: 'heard', words: [] }, { type: 'heard', words: [{ at: 1 }, { at: 0.5, word: 'a', more: 1 }], first: { at: 2 }, more: [] }],
    [
      null, [], 'heard', {}, { type: 'heard' }, { type: 'said', words: [] }, { type: 'heard', words: {} }, { type: 'heard', words: [{}] }, { type: 'heard', words: [{ at: '1' }] },
      { type: 'heard', words: [{ at: 1, word: null }] }, { type: 'heard', words: [], first: null }, { type: 'heard', words: [], first: [] },
    ],
  ],
  words: [[[{ at: 1 }]], [[], [{}]]],
  tree: [[{ name: 'a' }, { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] }], [{ name: 'a', children: [{}] }, { name: 'a', children: [{ name: 'b', children: [{ name: 1 }] }] }]],
  branch: [[{ leaf: {} }, { leaf: { branch: { leaf: {} } } }], [{ leaf: { branch: {} } }]],
  undeclaredBesideTexts: [[{ id: 'a' }, { id: 'a', b: 'c' }], [{}, { id: 1 }, { id: 'a', b: 1 }]],
  onlyConstructor: [[{}, { constructor: 'a' }], [{ constructor: 1 }, { other: 'a' }]],
  nameAndConstructor: [[{ name: 'a' }, { name: 'a', constructor: 'a' }], [{ name: 'a', other: 1 }, {}]],
  undeclaredBesidePattern: [[{ id: 1 }, { id: 1, b: 'c' }], [{ id: 'a' }, { id: 1, b: 1 }]],
  unlessUndeclared: [[{}, { id: 1 }], [{ id: 'a' }]],
  defaultSchema: [[{}, { 'a b': '', class: '', 0: '' }], [{ 'a b': 1 }, { class: 1 }, { 0: 1 }]],
} // prettier-ignore

describe.each(['zod', 'zod-lowest', 'zod/mini'] as const)('a generated schema, bound to %s', (zod) => {
  let schemas: Schemas

  beforeAll(async () => {
    schemas = await loadSchemas(await generate(schemasOf(contract)), zod)
  })

  it.each(Object.keys(verdicts))('%s accepts and rejects as JSON Schema does', (name) => {
    const [yes, no] = verdicts[name]!
    expect(accepted(schemas, name, yes)).toEqual(yes)
    expect(accepted(schemas, name, no)).toEqual([])
  })

  it('returns its input: unknown fields stay, no default is inserted, nothing is coerced', () => {
    const value = { a: '', b: [1], c: 0, more: { deep: true } }
    expect(schemas['looseObject']?.parse(value)).toEqual(value)
    expect(schemas['map']?.parse({ one: 'ab' })).toEqual({ one: 'ab' })
    expect(schemas['tree']?.parse({ name: 'a', more: 1 })).toEqual({ name: 'a', more: 1 })
  })

  it.each([
    ['nonEmpty', 'must have at least 1 character'],
    ['text', 'must have at least 2 characters'],
  ])('%s explains a string that is too short', (name, message) => {
    expect(JSON.stringify(schemas[name]?.safeParse('').error?.issues)).toContain(`"${message}"`)
  })
})

it('quick checks accept and reject as JSON Schema does', async () => {
  const model = await modelOf(schemasOf(contract))
  const tests = await loadQuick(model.schemas, model.schemas.keys())
  // zod 4.0 takes it for an object of a class.
  expect(tests['Map']?.({ constructor: 'ab' })).toBe(true)
  for (const type of Object.keys(tests)) {
    const [yes, no] = verdicts[schemaName(type)] ?? [[], []]
    expect({ type, accepts: [...yes, ...no].filter((value) => tests[type]?.(value)) }).toEqual({
      type,
      accepts: yes,
    })
  }
})

it('a type and its schema have the same name, in PascalCase and in camelCase', async () => {
  const files = await generate(schemasOf({ PageEntry: text, JSONValue: text, A: text, Url: text }))
  expect(files.get('index.gen.ts')).toContain('export type { A, JSONValue, PageEntry, Url } from')
  expect(files.get('index.gen.ts')).toContain('export { a, jsonValue, pageEntry, url } from')
})

it('a schema whose name would be a reserved word, or that of the import, gets a suffix', async () => {
  const schemas = await schemasFrom({ Function: text, Z: text, Enum: text })
  expect(Object.keys(schemas).sort()).toEqual(['enumSchema', 'functionSchema', 'zSchema'])
})

it('types are exact: named properties, no index signature, closed enums as unions, open ones open', async () => {
  const types = (await generate(schemasOf(contract))).get('types.gen.ts') ?? ''
  expect(types).toContain(`export type Closed = 'a' | 'b'\n`)
  expect(types).toContain(`export type Open = 'a' | 'b' | (string & {})\n`)
  expect(types).toContain('export type Anything = unknown\n')
  expect(types).toContain('export type Nullable = string | null\n')
  expect(types).toContain(`export type Mixed = 'a' | 1 | true | null\n`)
  expect(types.replaceAll(/\s+/g, ' ')).toContain(
    'export type Without = ' +
      '{ /** * Must be absent. */ c?: undefined /** * Must be absent. */ d?: undefined } & ({ a?: undefined ',
  )
  expect(types).toContain('export type Map = {\n  [key: string]: Text\n}\n')
  expect(types).toContain('export type ClosedObject = {\n  a?: string | undefined\n}\n')
  expect(types).toMatch(/export type UndeclaredBesideTexts = \{\s+id: string\s+\}/)
  expect(types).toContain('children?: Array<Tree> | undefined')
  expect(types).toMatch(/a: string\n {2}b: unknown\n/)
})

it('a default and open places are in the comment', async () => {
  const shown = {
    ...text,
    default: 'x',
    description: 'A text */ with an end.',
  }
  const open = { ...text, 'x-not-shown': ['Its language.'] }
  const thing = { type: 'object', properties: { shown, open } }
  const types = (await generate(schemasOf({ Thing: thing }))).get('types.gen.ts')
  expect(types).toContain('The service\'s default: `"x"`.')
  expect(types).toContain('Undocumented: its language.')
  expect(types).toContain('A text *\\/ with an end.')
})

it('items of an array have to fit every schema of allOf', async () => {
  const having = (name: string) => ({ type: 'object', required: [name], properties: { [name]: text } })
  const items = { allOf: ['a', 'b', 'c', 'd'].map(having) }
  const schemas = await schemasFrom({ List: { type: 'array', items } })
  const all = { a: '', b: '', c: '', d: '' }
  const lacking = Object.keys(all).map((name) => [{ ...all, [name]: undefined }])
  expect(accepted(schemas, 'list', [[all], ...lacking])).toEqual([[all]])
})
