import { asList, isList, isObject } from '../read/json.ts'
import type { ContractNode } from '../read/contract.ts'
import { readPattern } from './constraints.ts'
import { readEvaluated } from './evaluated.ts'
import { type ReadInner, exclusionsOf, isInherited } from './object-schema.ts'
import type { Assertion } from './rules.ts'

/** Assigning to a property with this name sets the object's prototype instead of adding a property. */
const PROTOTYPE = '__proto__'

type Read = (schema: ContractNode, read: ReadInner) => readonly Assertion[]

/** Keywords such as `then` and `minContains` are read together with `if` and `contains`. */
const READERS: { readonly [keyword: string]: Read } = {
  not: (schema, read) =>
    exclusionsOf(schema.raw) === undefined ? [{ assert: 'not', schema: read(schema.at('not')) }] : [],
  if: readCondition,
  dependentRequired: (schema, read) => readDependent(schema, read, 'dependentRequired'),
  dependentSchemas: (schema, read) => readDependent(schema, read, 'dependentSchemas'),
  dependencies: (schema, read) => readDependent(schema, read, 'dependencies'),
  propertyNames: (schema, read) => [{ assert: 'propertyNames', schema: read(schema.at('propertyNames')) }],
  prefixItems: readItems,
  contains: readContains,
  unevaluatedItems: (schema, read) => readUnevaluated(schema, read, 'unevaluatedItems'),
  unevaluatedProperties: (schema, read) => readUnevaluated(schema, read, 'unevaluatedProperties'),
}

/** Reads those assertions of a schema that neither types nor zod can express. */
export function readAssertions(
  schema: ContractNode,
  keywords: readonly string[],
  read: ReadInner,
): Assertion[] {
  return [
    ...readProperties(schema, read),
    ...keywords.flatMap((key) => (Object.hasOwn(READERS, key) ? (READERS[key]?.(schema, read) ?? []) : [])),
  ]
}

/**
 * Reads `patternProperties`, `additionalProperties`, and properties such as `toString`, which every JavaScript object
 * inherits.
 */
function readProperties(schema: ContractNode, read: ReadInner): readonly Assertion[] {
  const { contract, raw } = schema
  const properties = schema.at('properties').members()
  const patterns = schema.at('patternProperties').members()
  const more = raw['additionalProperties']
  const hasHidden = properties.some(([name]) => isInherited(name))
  for (const name of [...properties.map(([own]) => own), ...asList(raw['required'])]) {
    // zod doesn't copy `__proto__`, so functions that check zod's output don't see it.
    if (name === PROTOTYPE) schema.widen(`a property called \`${PROTOTYPE}\` is not checked`)
  }
  const hasPatterns = patterns.length > 0
  // Types can express a schema in `additionalProperties` only if the object has no named properties.
  const hasNames = properties.length > 0 || asList(raw['required']).length > 0
  const others =
    more !== undefined && more !== true && (hasPatterns || hasHidden || (isObject(more) && hasNames))
  const excluded = contract.excluded(raw)
  const required = asList(raw['required'])
    .map(String)
    .filter((name) => isInherited(name) && name !== PROTOTYPE && !excluded.has(name))
  const assertions: Assertion[] = []
  if (hasHidden || hasPatterns || others)
    assertions.push({
      assert: 'properties',
      names: Object.fromEntries(
        properties
          .filter(([name]) => name !== PROTOTYPE)
          .map(([name, property]) => [name, isInherited(name) ? read(property) : {}]),
      ),
      patterns: patterns.flatMap(([pattern, property]) => {
        const source = readPattern(property, pattern)
        return source === undefined ? [] : [[source, read(property)] as const]
      }),
      others: others ? read(schema.at('additionalProperties')) : {},
    })
  return required.length > 0 ? [...assertions, { assert: 'required', names: required }] : assertions
}

function readCondition(schema: ContractNode, read: ReadInner): readonly Assertion[] {
  const [then = {}, otherwise = {}] = (['then', 'else'] as const).map((key) =>
    schema.raw[key] === undefined ? {} : read(schema.at(key)),
  )
  return [{ assert: 'if', test: read(schema.at('if')), then, else: otherwise }]
}

/**
 * The keyword `dependencies` is from older JSON Schema drafts. Each of its values is either a list of property names,
 * or a schema.
 */
function readDependent(
  schema: ContractNode,
  read: ReadInner,
  keyword: 'dependentRequired' | 'dependentSchemas' | 'dependencies',
): readonly Assertion[] {
  const isOfNames = keyword === 'dependentRequired'
  if (isOfNames && !schema.at(keyword).isObject)
    schema.widen('`dependentRequired` must be an object', keyword)
  const excluded = schema.contract.excluded(schema.raw)
  return schema
    .at(keyword)
    .members()
    .map(([name, member]) =>
      isOfNames || (keyword === 'dependencies' && isList(member.value))
        ? {
            assert: 'dependentRequired',
            name,
            required: asList(member.value)
              .map(String)
              .filter((each) => !excluded.has(each)),
          }
        : { assert: 'dependentSchema', name, schema: read(member) },
    )
}

function readItems(schema: ContractNode, read: ReadInner): readonly Assertion[] {
  const list = schema.at('prefixItems')
  if (!isList(list.value)) {
    list.widen('`prefixItems` must be a list of schemas')
    return []
  }
  const first = list.items().map((item) => read(item))
  const others = schema.raw['items'] === undefined ? {} : read(schema.at('items'))
  return [{ assert: 'items', first, others }]
}

function readContains(schema: ContractNode, read: ReadInner): readonly Assertion[] {
  const { minContains, maxContains } = schema.raw
  return [
    {
      assert: 'contains',
      schema: read(schema.at('contains')),
      least: typeof minContains === 'number' ? minContains : 1,
      most: typeof maxContains === 'number' ? maxContains : undefined,
    },
  ]
}

function readUnevaluated(
  schema: ContractNode,
  read: ReadInner,
  assert: 'unevaluatedItems' | 'unevaluatedProperties',
): readonly Assertion[] {
  const others = read(schema.at(assert))
  if (Object.keys(others).length === 0) return []
  return [{ assert, schema: others, evaluated: readEvaluated(schema, assert, read) }]
}
