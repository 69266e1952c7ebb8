import type { ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, asList, isList, typeOfValue } from '../read/json.ts'
import { arrayChecks, numberChecks, stringChecks } from './constraints.ts'
import { isOfUnion } from './discriminator.ts'
import { familyOf } from './families.ts'
import { listedValues } from './disjoint.ts'
import { keywordsOfAll, keywordsOfType, unsupported, silentKeywords } from './keywords.ts'
import { type ReadInner, objectSchema } from './object-schema.ts'
import { type Assertion, type Check, type PlainSchema, rulesKey, withAssertions } from './rules.ts'

type TypeName = NonNullable<PlainSchema['type']>

interface TypedSchemaOptions {
  /** The keywords to read. They include no annotations, and no keywords that combine schemas. */
  readonly keywords: readonly string[]
  /** Whether the schema describes bytes to send, such as a file in a form. */
  readonly holdsBytes: boolean
  readonly read: ReadInner
}

/** Reads the types of a schema, its listed values, and its assertions about each type. */
export function typedSchema(schema: ContractNode, options: TypedSchemaOptions): PlainSchema {
  const { raw } = schema
  const types = readTypes(schema.at('type'))
  reportOthers(schema, types, options.keywords)
  if (options.holdsBytes) return readBytes(schema, options.keywords)
  if (raw['const'] !== undefined || raw['enum'] !== undefined) return readListed(schema, types, options)
  const readType = (type: TypeName) => readOneType(schema, type, types.length > 1, options.read)
  if (types.length > 0) return unionOfTypes(types.map(readType))
  const meant = Object.keys(keywordsOfType).filter(
    (type) => type !== 'integer' && options.keywords.some((key) => keywordsOfType[type]?.includes(key)),
  ) as TypeName[]
  if (meant.length === 0) return {}
  return unionOfTypes([...meant.map(readType), { [rulesKey]: { noneOf: meant } }])
}

function unionOfTypes(branches: readonly PlainSchema[]): PlainSchema {
  const [first = { [rulesKey]: { never: true } }, second] = branches
  return second === undefined ? first : { anyOf: branches }
}

/** Returns an empty list if `type` is missing or names an unknown type. */
function readTypes(type: ContractNode): TypeName[] {
  const { value } = type
  if (value === undefined) return []
  const named = isList(value) ? value : [value]
  const known = named.filter(
    (name): name is TypeName => typeof name === 'string' && Object.hasOwn(keywordsOfType, name),
  )
  if (known.length === 0 || known.length < named.length) {
    type.widen(`\`${JSON.stringify(value)}\` is not a type of JSON Schema`)
    return []
  }
  const types = new Set(known)
  if (types.has('number')) types.delete('integer')
  return [...types]
}

/** Keywords that have an effect only beside another keyword. */
const HELPERS: ReadonlyMap<string, string> = new Map([
  ['then', 'if'],
  ['else', 'if'],
  ['minContains', 'contains'],
  ['maxContains', 'contains'],
])

/** Matches pointers to schemas in keywords such as `not` and `if`. These schemas rarely have their own `type`. */
const INSIDE_A_TEST =
  /(?<!\/properties)\/(?:not|if|then|else|propertyNames|dependentSchemas\/[^/]+)(?:\/(?:allOf|anyOf|oneOf)\/\d+)*$/

/** Reports keywords that are unsupported, unknown or without effect, or that need a `type` beside them. */
function reportOthers(schema: ContractNode, types: readonly TypeName[], keywords: readonly string[]): void {
  const { contract, raw } = schema
  const possible = types.length === 0 && listedValues(raw) ? [] : types
  const allowed = new Set([...keywordsOfAll, ...possible.flatMap((type) => keywordsOfType[type] ?? [])])
  for (const key of keywords) {
    const needed = HELPERS.get(key)
    if (needed !== undefined && raw[needed] === undefined) {
      schema.note(`\`${key}\`: it has no effect without \`${needed}\``, key)
      continue
    }
    if (allowed.has(key) || silentKeywords.has(key)) continue
    if (key === 'discriminator' && (isOfUnion(raw) || familyOf(contract, raw))) continue
    const owner = Object.entries(keywordsOfType).find(([, owned]) => owned.includes(key))?.[0]
    const reason = unsupported.get(key)
    if (reason !== undefined && key !== 'discriminator' && key !== 'xml')
      schema.widen(`\`${key}\`: ${reason}`, key)
    else if (reason !== undefined) schema.note(`\`${key}\`: ${reason}`, key)
    else if (owner === undefined) schema.note(`\`${key}\`: the generator does not know this keyword`, key)
    else if (types.length > 0) schema.note(`\`${key}\`: it has no effect on type ${types.join(', ')}`, key)
    else if (raw['type'] === undefined && !listedValues(raw) && !INSIDE_A_TEST.test(schema.pointer))
      schema.note(
        `\`${key}\`: without \`type\`, validation also accepts values of other types, but the TypeScript type leaves them out; add type: ${owner}`,
        key,
      )
  }
  if (raw['x-open-enum'] === true && !listedValues(raw))
    schema.reject('`x-open-enum` needs an `enum` beside it', 'x-open-enum')
}

function readBytes(schema: ContractNode, keywords: readonly string[]): PlainSchema {
  for (const key of keywords) {
    if (key !== 'type' && key !== 'format') schema.widen(`\`${key}\`: bytes to send are not checked`, key)
  }
  return { type: 'string', [rulesKey]: { binary: true } }
}

/**
 * Reads `const` or `enum`. Listed strings, numbers and booleans become literal types. If an object or an array is
 * listed, an assertion checks that the validated value equals a listed value. The schema's other keywords become
 * assertions too.
 */
function readListed(
  schema: ContractNode,
  types: readonly TypeName[],
  options: TypedSchemaOptions,
): PlainSchema {
  const { raw } = schema
  const keyword = raw['const'] === undefined ? 'enum' : 'const'
  const given = keyword === 'const' ? [raw['const'] ?? null] : raw['enum']
  if (!isList(given)) {
    schema.widen('`enum` must be a list of values', keyword)
    return {}
  }
  // YAML has the numbers `.inf` and `.nan`, which JSON lacks.
  const values = given.filter((value) => typeof value !== 'number' || Number.isFinite(value))
  if (values.length < given.length) schema.note("numbers that JSON can't express are left out", keyword)
  if (values.length === 0) schema.note('`enum` must have at least one value', keyword)
  if (
    raw['x-open-enum'] === true &&
    (keyword === 'const' || values.some((value) => typeof value !== 'string'))
  )
    schema.reject('`x-open-enum` needs an enum of strings', 'x-open-enum')
  const possible = types.length === 0 ? ([...new Set(values.map(typeOfValue))] as TypeName[]) : types
  const branches = possible.flatMap((type) => ofValues(raw, type, values))
  if (branches.length === 0 && values.length > 0) schema.note('no listed value fits `type`')
  const assertions: Assertion[] = []
  if (values.some((value) => typeof value === 'object' && value !== null))
    assertions.push({ assert: 'values', values })
  const others = options.keywords.filter((key) => !keywordsOfAll.includes(key) && !silentKeywords.has(key))
  if (keyword === 'const' && raw['enum'] !== undefined)
    assertions.push({ assert: 'values', values: asList(raw['enum']) })
  const { const: _, enum: __, ...rest } = raw
  const beside =
    others.length > 0
      ? typedSchema(schema.with(rest), {
          ...options,
          keywords: [...others, ...('type' in raw ? ['type'] : [])],
        })
      : {}
  if (Object.keys(beside).length > 0) assertions.push({ assert: 'allOf', schemas: [beside] })
  return withAssertions(unionOfTypes(branches), assertions)
}

function ofValues(raw: JsonObject, type: TypeName, values: readonly Json[]): PlainSchema[] {
  const fitting = values.filter((value) => fitsType(value, type))
  const literals = fitting.filter((value) => typeof value !== 'object' || value === null)
  const [first] = literals
  if (literals.length < fitting.length) return [{ type }]
  if (first === undefined) return []
  if (first === null) return [{ type }]
  if (raw['x-open-enum'] === true) return [{ type: 'string', [rulesKey]: { openEnum: literals.map(String) } }]
  if (literals.length === 1) return [{ type, const: first as string }]
  return [{ type, enum: literals.filter((value) => value !== null) as string[] }]
}

/**
 * Reads a schema's keywords for one type. A `mixed` schema has several types, so its `format` may be meant for
 * another type.
 */
function readOneType(schema: ContractNode, type: TypeName, mixed: boolean, read: ReadInner): PlainSchema {
  switch (type) {
    case 'string':
      return withChecks({ type }, stringChecks(schema))
    case 'number':
    case 'integer':
      return withChecks({ type }, numberChecks(schema, type, mixed))
    case 'array':
      return readArray(schema, read)
    case 'object':
      return objectSchema(schema, read)
    case 'boolean':
    case 'null':
      return { type }
  }
}

/** If the schema has `prefixItems`, the result's `items` is the union of all item schemas. */
function readArray(schema: ContractNode, read: ReadInner): PlainSchema {
  const { prefixItems, items, minItems, maxItems } = schema.raw
  const first = schema
    .at('prefixItems')
    .items()
    .map((item) => read(item))
  const others = read(schema.at('items').with(items ?? true))
  const all = items === false ? first : [...first, others]
  const union = all.some((one) => Object.keys(one).length === 0) ? {} : unionOfTypes(all)
  // An array with exactly one item for each schema in `prefixItems` is a tuple.
  const isTuple =
    first.length > 0 && minItems === first.length && (items === false || maxItems === first.length)
  const array: PlainSchema = { type: 'array', items: isList(prefixItems) ? union : others }
  return withChecks(isTuple ? { ...array, tuple: first } : array, arrayChecks(schema))
}

function withChecks(schema: PlainSchema, checks: readonly Check[]): PlainSchema {
  return checks.length === 0 ? schema : { ...schema, [rulesKey]: { checks } }
}

function fitsType(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOfValue(value) === type
}
