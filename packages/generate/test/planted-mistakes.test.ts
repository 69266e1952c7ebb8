import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { filesOf } from './support/services.ts'
import { schemaName } from '../src/normalize/names.ts'
import { readSource } from '../src/read/source.ts'
import { casesOf, compare } from './support/compare.ts'
import { contractSchemas } from './support/contract-schemas.ts'
import { type bindings, loadSchemas, serviceNamed } from './support/generated.ts'

const root = join(import.meta.dirname, '../../..')
const service = serviceNamed('extraction')
const { value: contract } = readSource(join(root, service.openapi), service.openapi)
const makeCases = casesOf(contract)
// Outputs and errors are made of components, so that a mistake shows in these already.
const allCases = [...contractSchemas(contract)]
  .filter(([name]) => !/(?:Output|Error)$/.test(name))
  .map(([name, raw]) => ({ name, cases: makeCases(raw, 300) }))

const schemasFile = `${service.validators.folder}/schemas.gen.ts`

/** A mistake that a generator could make, as a change of its output. */
type Mistake = readonly [name: string, from: string | RegExp, to: string, zod?: (typeof bindings)[number]]

const mistakes: readonly Mistake[] = [
  ['a format is forgotten', ".check(z.refine(isUuid, 'must be a UUID'))", ''],
  [
    'time stamps must end in Z',
    /(?<=timestamp = .*)z\.string\(\)\.check\(z\.regex\(.*?\/u, '[^']*'\)\)/,
    'z.iso.datetime()',
  ],
  [
    'addresses are checked by another grammar',
    "z.string().check(z.refine(isUri, 'must be a URI'))",
    'z.url()',
  ],
  [
    'whole numbers must be safe',
    "z.number().check(z.refine(isInteger, 'must be a whole number'))",
    'z.int()',
  ],
  ['whole numbers may have a fraction', ".check(z.refine(isInteger, 'must be a whole number'))", ''],
  ['a pattern is forgotten', /, z\.regex\(\/\^\[hH\][^)]*\)/, ''],
  ['unknown fields are dropped', 'z.looseObject(', 'z.object('],
  ['unknown fields are rejected', 'z.looseObject(', 'z.strictObject('],
  ['null is not allowed', /z\.nullable\(([\w.()]+)\)/, '$1'],
  ['null is allowed wherever something is optional', 'z.optional(', 'z.nullish('],
  ['an optional property is required', /z\.optional\((z\.string\(\))\)/, '$1'],
  ['a required property is optional', /(hil_flag: )z\.boolean\(\)/, '$1z.optional(z.boolean())'],
  // The highest zod sees this by itself, the lowest does not.
  [
    'a required property of any value may be missing',
    ".check(z.refine(isPresent, 'is required'))",
    '',
    'zod-lowest',
  ],
  ['an enum lacks a value', "'processing',", ''],
  ['an enum is not checked', /z\.enum\(\[[^\]]*\]\)/, 'z.string()'],
  [
    'an open enum is closed',
    'deviceTokenErrorCode = /*#__PURE__*/ z.string()',
    "deviceTokenErrorCode = z.enum(['expired_token'])",
  ],
  ['a const is not checked', /z\.literal\('[^']*'\)/, 'z.string()'],
  ['the least number of items is forgotten', /\.check\(z\.minLength\(\d+\)\)/, ''],
  [
    'two properties that exclude each other are both allowed',
    /\.check\(z\.refine\(lacksOneOf\([^)]*\), '[^']*'\)\)/,
    '',
  ],
  ['a map takes anything', /z\.record\(z\.string\(\), \w+\)/, 'z.record(z.string(), z.unknown())'],
  ['a branch of a union is lost', /(z\.union\(\[\s*)z\.string\(\),/, '$1'],
  ['a string is coerced', 'z.boolean()', 'z.coerce.boolean()'],
  [
    'a default is inserted',
    'validation_split: z.optional(z.number())',
    'validation_split: z._default(z.number(), 0.3)',
    'zod/mini',
  ],
]

describe('the comparison of generated schemas with the contract finds', () => {
  let files: ReadonlyMap<string, string>

  beforeAll(async () => {
    files = await filesOf(service, root)
  })

  it('nothing in unchanged schemas', async () => {
    expect(await disagreeing(files)).toEqual([])
  })

  it.each(mistakes.map((mistake) => ({ name: mistake[0], mistake })))(
    '$name',
    async ({ mistake: [, from, to, zod] }) => {
      const text = files.get(schemasFile) ?? ''
      const wrong = text.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'g'), to)
      expect(wrong).not.toBe(text)
      expect(await disagreeing(new Map([...files, [schemasFile, wrong]]), zod)).not.toEqual([])
    },
  )
})

/** The names of the schemas that disagree with the contract. */
async function disagreeing(
  files: ReadonlyMap<string, string>,
  zod?: (typeof bindings)[number],
): Promise<string[]> {
  const schemas = await loadSchemas(files, zod)
  return allCases
    .filter(({ name, cases }) => {
      const schema = schemas[schemaName(name)]
      return !schema || compare(cases, schema).disagreements.length > 0
    })
    .map(({ name }) => name)
}
