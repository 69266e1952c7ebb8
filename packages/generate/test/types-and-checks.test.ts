import { expect, it } from 'vitest'

import { type Json, type JsonObject, isList } from '../src/read/json.ts'
import { casesOf } from './support/compare.ts'
import { typeCheck } from './support/compiler.ts'
import { modelOf, printed, schemasOf } from './support/generated.ts'
import { loadQuick } from '../src/corpus/quick.ts'
import { randomSchemas } from './support/random-contract.ts'

/** A value that the check of a type accepts. */
interface Accepted {
  readonly name: string
  readonly value: Json
}

/** The names of the types that don't include a value that their check accepts, and of the types for which the report says so. */
async function narrowTypes(schemas: Readonly<Record<string, JsonObject>>) {
  const source = schemasOf(schemas)
  const model = await modelOf(source)
  const makeCases = casesOf(source.value)
  const tests = await loadQuick(model.schemas, Object.keys(schemas))
  const values = Object.entries(schemas).flatMap(([name, raw]): Accepted[] => {
    const text = reachable(schemas, name)
    return makeCases(raw, 40)
      .filter(({ value }) => tests[name]?.(value) === true && isCommon(value, text))
      .map(({ value }) => ({ name, value }))
  })
  const lines = values.map(
    ({ name, value }, index) =>
      `declare const v${index}: ${typeOf(value)}; export const t${index}: types.${name} = v${index}`,
  )
  const code = `import type * as types from './types.gen.ts'\n${lines.join('\n')}\n`
  const output = await typeCheck(await printed(model), code)
  const wrong = [...output.matchAll(/consumer\.ts\((\d+),\d+\): error/g)].map(
    ([, line]) => values[Number(line) - 2]!,
  )
  const noted = model.departures
    .filter(({ reason }) => /the TypeScript type (?:leaves|doesn't allow)/.test(reason))
    .map(({ place }) => `"#/${place.pointer.split('/').slice(1, 4).join('/')}"`)
  const isReported = ({ name }: Accepted) =>
    noted.some((one) => reachable(schemas, name).includes(one) || one.endsWith(`/${name}"`))
  return { tried: values.length, narrow: wrong, unreported: wrong.filter((one) => !isReported(one)) }
}

/** The schemas that a schema reaches, as JSON. */
function reachable(schemas: Readonly<Record<string, JsonObject>>, name: string): string {
  const found = new Set([name])
  for (const each of found)
    for (const [, next = ''] of JSON.stringify(schemas[each]).matchAll(/schemas\/(\w+)"/g)) found.add(next)
  return [...found].map((each) => JSON.stringify(schemas[each])).join()
}

/** Whether each object has a name that the schema knows: TypeScript rejects objects that share no name with a type. */
function isCommon(value: Json, schema: string): boolean {
  if (typeof value !== 'object' || value === null) return true
  const names = Object.keys(value)
  const isKnown = isList(value) || names.length === 0 || names.some((name) => schema.includes(`${JSON.stringify(name)}:`))
  return isKnown && Object.values(value).every((member) => isCommon(member, schema))
} // prettier-ignore

/** The type of one value. */
function typeOf(value: Json): string {
  if (isList(value)) return `[${value.map(typeOf).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${typeOf(member)}`)
      .join('; ')} }`
  return typeof value === 'number' && !/^-?\d+(?:\.\d+)?$/.test(String(value))
    ? 'number'
    : JSON.stringify(value)
}

it.each([1, 12001])(
  'types have every value that their check accepts, unless the report says which they leave out (seed %i)',
  async (seed) => {
    const { tried, narrow, unreported } = await narrowTypes(randomSchemas(40, seed))
    expect(unreported).toEqual([])
    expect(tried).toBeGreaterThan(100)
    // Without any, this test would not show that they are found.
    expect(narrow.length).toBeGreaterThan(0)
  },
)

it('types of schemas without `type`, and of unions that only a discriminator tells apart, leave out values that are reported', async () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const kind = { type: 'string' }
  const { narrow, unreported } = await narrowTypes({
    Properties: { properties: { a: kind } },
    Length: { minLength: 2 },
    Items: { items: kind },
    Listed: { enum: ['a', 1, null] },
    Anything: {},
    Dog: { type: 'object', required: ['kind'], properties: { kind } },
    Cat: { type: 'object', required: ['kind', 'lives'], properties: { kind, lives: { type: 'integer' } } },
    Pet: { anyOf: [ref('Dog'), ref('Cat')], discriminator: { propertyName: 'kind' } },
    Base: { type: 'object', required: ['kind'], properties: { kind }, discriminator: { propertyName: 'kind' } },
    Heir: { allOf: [ref('Base'), { type: 'object', properties: { size: { type: 'integer' } } }] },
    Holder: { type: 'object', required: ['base'], properties: { base: ref('Base') } },
  })
  expect([...new Set(narrow.map(({ name }) => name))]).toEqual(['Properties', 'Length', 'Items', 'Pet', 'Base', 'Holder'])
  expect(unreported).toEqual([])
}) // prettier-ignore
