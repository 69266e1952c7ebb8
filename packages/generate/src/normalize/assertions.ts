import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { readPattern } from './constraints.ts'
import { readEvaluated } from './evaluated.ts'
import { type ReadInner, exclusionsOf, isInherited } from './object-schema.ts'
import type { Assertion, PlainSchema } from './rules.ts'

/** A schema that is being read. */
interface Reading {
  readonly contract: Contract
  readonly raw: JsonObject
  readonly pointer: string
  readonly read: ReadInner
}

/** In most places, this name sets the prototype of an object instead of a property. */
const PROTOTYPE = '__proto__'

/** Reads one keyword, or several that belong together, into assertions. */
type Read = (reading: Reading) => readonly Assertion[]

/**
 * The keywords that are written as functions. Keywords such as `then` and `minContains` are read with the keyword
 * that they modify.
 */
const READERS: { readonly [keyword: string]: Read } = {
  not: readNot,
  if: readCondition,
  dependentRequired: readDependentRequired,
  dependentSchemas: readDependentSchemas,
  dependencies: readDependencies,
  propertyNames: (reading) => [{ assert: 'propertyNames', schema: inner(reading, 'propertyNames') }],
  prefixItems: readItems,
  contains: readContains,
  unevaluatedItems: (reading) => readUnevaluated(reading, 'unevaluatedItems'),
  unevaluatedProperties: (reading) => readUnevaluated(reading, 'unevaluatedProperties'),
}

/** Reads the assertions of a schema that neither types nor zod can express. */
export function readAssertions(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  { keywords, read }: { readonly keywords: readonly string[]; readonly read: ReadInner },
): Assertion[] {
  const reading = { contract, raw, pointer, read }
  return [
    ...readProperties(reading),
    ...keywords.flatMap((key) => (Object.hasOwn(READERS, key) ? (READERS[key]?.(reading) ?? []) : [])),
  ]
}

function inner({ raw, pointer, read }: Reading, ...path: readonly (string | number)[]): PlainSchema {
  let found: Json | undefined = raw
  for (const segment of path) found = (found as Record<string | number, Json> | undefined)?.[segment]
  return read(found ?? null, childPointer(pointer, ...path), false)
}

/** Reads properties whose names no type can have, `patternProperties`, and the schema of all other properties. */
function readProperties(reading: Reading): readonly Assertion[] {
  const { contract, raw, pointer } = reading
  const own = asObject(raw['properties'])
  const patterns = asObject(raw['patternProperties'])
  const more = raw['additionalProperties']
  const hidden = Object.keys(own).filter(isInherited)
  for (const name of [...Object.keys(own), ...asList(raw['required'])]) {
    // zod doesn't copy this property, so functions that check zod's output don't see it.
    if (name === PROTOTYPE) contract.widen(pointer, `a property called \`${PROTOTYPE}\` is not checked`)
  }
  const hasPatterns = Object.keys(patterns).length > 0
  // Types can't express a schema that applies only to some of the unnamed properties.
  const hasNames = Object.keys(own).length > 0 || (isList(raw['required']) && raw['required'].length > 0)
  const others =
    more !== undefined && more !== true && (hasPatterns || hidden.length > 0 || (isObject(more) && hasNames))
  const excluded = contract.excluded(raw)
  const required = asList(raw['required'])
    .map(String)
    .filter((name) => isInherited(name) && name !== PROTOTYPE && !excluded.has(name))
  const assertions: Assertion[] = []
  if (hidden.length > 0 || hasPatterns || others)
    assertions.push({
      assert: 'properties',
      names: Object.fromEntries(
        Object.keys(own)
          .filter((name) => name !== PROTOTYPE)
          .map((name) => [name, isInherited(name) ? inner(reading, 'properties', name) : {}]),
      ),
      patterns: Object.keys(patterns).flatMap((pattern) => {
        const source = readPattern(contract, pattern, childPointer(pointer, 'patternProperties', pattern))
        return source === undefined ? [] : [[source, inner(reading, 'patternProperties', pattern)] as const]
      }),
      others: others ? inner(reading, 'additionalProperties') : {},
    })
  return required.length > 0 ? [...assertions, { assert: 'required', names: required }] : assertions
}

function readNot(reading: Reading): readonly Assertion[] {
  if (exclusionsOf(reading.raw) !== undefined) return []
  return [{ assert: 'not', schema: inner(reading, 'not') }]
}

function readCondition(reading: Reading): readonly Assertion[] {
  const [then, otherwise] = (['then', 'else'] as const).map((key) =>
    reading.raw[key] === undefined ? {} : inner(reading, key),
  )
  if (then === undefined || otherwise === undefined) return []
  return [{ assert: 'if', test: inner(reading, 'if'), then, else: otherwise }]
}

function readDependentRequired({ contract, raw, pointer }: Reading): readonly Assertion[] {
  const map = raw['dependentRequired']
  if (!isObject(map)) {
    contract.widen(childPointer(pointer, 'dependentRequired'), '`dependentRequired` needs an object')
    return []
  }
  const excluded = contract.excluded(raw)
  return Object.entries(map).map(([name, required]) => ({
    assert: 'dependentRequired',
    name,
    required: asList(required)
      .map(String)
      .filter((each) => !excluded.has(each)),
  }))
}

function readDependentSchemas(reading: Reading): readonly Assertion[] {
  const map = reading.raw['dependentSchemas']
  return Object.keys(asObject(map)).map((name) => ({
    assert: 'dependentSchema',
    name,
    schema: inner(reading, 'dependentSchemas', name),
  }))
}

/** Reads `dependencies` of older drafts, whose values are lists of names or schemas. */
function readDependencies(reading: Reading): readonly Assertion[] {
  const map = reading.raw['dependencies']
  const excluded = reading.contract.excluded(reading.raw)
  return Object.entries(asObject(map)).map(([name, value]) =>
    isList(value)
      ? {
          assert: 'dependentRequired',
          name,
          required: value.map(String).filter((each) => !excluded.has(each)),
        }
      : { assert: 'dependentSchema', name, schema: inner(reading, 'dependencies', name) },
  )
}

function readItems(reading: Reading): readonly Assertion[] {
  const list = reading.raw['prefixItems']
  if (!isList(list)) {
    reading.contract.widen(
      childPointer(reading.pointer, 'prefixItems'),
      '`prefixItems` needs a list of schemas',
    )
    return []
  }
  return [
    {
      assert: 'items',
      first: list.map((_, index) => inner(reading, 'prefixItems', index)),
      others: reading.raw['items'] === undefined ? {} : inner(reading, 'items'),
    },
  ]
}

function readContains(reading: Reading): readonly Assertion[] {
  const { minContains, maxContains } = reading.raw
  return [
    {
      assert: 'contains',
      schema: inner(reading, 'contains'),
      least: typeof minContains === 'number' ? minContains : 1,
      most: typeof maxContains === 'number' ? maxContains : undefined,
    },
  ]
}

function readUnevaluated(
  reading: Reading,
  assert: 'unevaluatedItems' | 'unevaluatedProperties',
): readonly Assertion[] {
  const { contract, raw, pointer, read } = reading
  const schema = inner(reading, assert)
  if (Object.keys(schema).length === 0) return []
  return [{ assert, schema, evaluated: readEvaluated(contract, raw, { pointer, keyword: assert, read }) }]
}
