import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, isList, typeOfValue } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { arrayChecks, numberChecks, stringChecks } from './constraints.ts'
import { isOfUnion } from './discriminator.ts'
import { familyOf } from './families.ts'
import { listedValues } from './disjoint.ts'
import { keywordsOfAll, keywordsOfType, refusals, silentKeywords } from './keywords.ts'
import { type ReadInner, objectSchema } from './object-schema.ts'
import { type Assertion, type Check, type PlainSchema, rulesKey, withAssertions } from './rules.ts'

type TypeName = NonNullable<PlainSchema['type']>

interface TypedSchemaOptions {
  /** The keywords of the schema that assert something. */
  readonly keywords: readonly string[]
  /** Whether a string is bytes to send. */
  readonly holdsBytes: boolean
  readonly read: ReadInner
}

/** Reads the keywords of a schema that don't combine other schemas: types, listed values, and the assertions about each type. */
export function typedSchema(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  options: TypedSchemaOptions,
): PlainSchema {
  const types = readTypes(contract, raw, pointer)
  reportOthers(contract, raw, pointer, { types, keywords: options.keywords })
  if (options.holdsBytes) return readBytes(contract, pointer, options.keywords)
  if (raw['const'] !== undefined || raw['enum'] !== undefined)
    return readListed(contract, raw, pointer, { types, options })
  const readType = typeReader(contract, raw, pointer, { mixed: types.length > 1, read: options.read })
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

/** Reads the types of a schema. The list is empty without `type`, and if `type` has a member that isn't a type. */
function readTypes(contract: Contract, raw: JsonObject, pointer: string): TypeName[] {
  const type = raw['type']
  if (type === undefined) return []
  const named = isList(type) ? type : [type]
  const known = named.filter(
    (name): name is TypeName => typeof name === 'string' && Object.hasOwn(keywordsOfType, name),
  )
  if (known.length === 0 || known.length < named.length) {
    contract.widen(childPointer(pointer, 'type'), `\`${JSON.stringify(type)}\` is not a type of JSON Schema`)
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

/** Places of schemas that only refine another schema, and so rarely repeat its type. */
const INSIDE_A_TEST =
  /(?<!\/properties)\/(?:not|if|then|else|propertyNames|dependentSchemas\/[^/]+)(?:\/(?:allOf|anyOf|oneOf)\/\d+)*$/

/** Reports keywords that don't apply to any type that a value can have. */
function reportOthers(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  { types, keywords }: { readonly types: readonly TypeName[]; readonly keywords: readonly string[] },
): void {
  const possible = types.length === 0 && listedValues(raw) ? [] : types
  const allowed = new Set([...keywordsOfAll, ...possible.flatMap((type) => keywordsOfType[type] ?? [])])
  for (const key of keywords) {
    const at = childPointer(pointer, key)
    const needed = HELPERS.get(key)
    if (needed !== undefined && raw[needed] === undefined) {
      contract.note(at, `\`${key}\`: it has no effect without \`${needed}\``)
      continue
    }
    if (allowed.has(key) || silentKeywords.has(key)) continue
    if (key === 'discriminator' && (isOfUnion(raw) || familyOf(contract, raw))) continue
    const owner = Object.entries(keywordsOfType).find(([, owned]) => owned.includes(key))?.[0]
    const reason = refusals.get(key)
    if (reason !== undefined && key !== 'discriminator' && key !== 'xml')
      contract.widen(at, `\`${key}\`: ${reason}`)
    else if (reason !== undefined) contract.note(at, `\`${key}\`: ${reason}`)
    else if (owner === undefined) contract.note(at, `\`${key}\`: the generator does not know this keyword`)
    else if (types.length > 0) contract.note(at, `\`${key}\`: it has no effect on type ${types.join(', ')}`)
    else if (raw['type'] === undefined && !listedValues(raw) && !INSIDE_A_TEST.test(pointer))
      contract.note(
        at,
        `\`${key}\`: without \`type\`, values of other types are accepted too, which the TypeScript type leaves out; add type: ${owner}`,
      )
  }
  if (raw['x-open-enum'] === true && !listedValues(raw))
    contract.refuse(childPointer(pointer, 'x-open-enum'), 'needs an `enum` beside it')
}

/** Reads a part of a form that holds bytes. Keywords can't restrict bytes. */
function readBytes(contract: Contract, pointer: string, keywords: readonly string[]): PlainSchema {
  for (const key of keywords) {
    if (key !== 'type' && key !== 'format')
      contract.widen(childPointer(pointer, key), `\`${key}\`: bytes to send are not looked into`)
  }
  return { type: 'string', [rulesKey]: { binary: true } }
}

/**
 * Reads `const` or `enum`. Plain values become literal types. Other values are compared, and the keywords beside them become
 * assertions.
 */
function readListed(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  { types, options }: { readonly types: readonly TypeName[]; readonly options: TypedSchemaOptions },
): PlainSchema {
  const keyword = raw['const'] === undefined ? 'enum' : 'const'
  const at = childPointer(pointer, keyword)
  const given = keyword === 'const' ? [raw['const'] ?? null] : raw['enum']
  if (!isList(given)) {
    contract.widen(at, '`enum` needs a list of values')
    return {}
  }
  // YAML has the numbers `.inf` and `.nan`.
  const values = given.filter((value) => typeof value !== 'number' || Number.isFinite(value))
  if (values.length < given.length) contract.note(at, "numbers that JSON can't express are left out")
  if (values.length === 0) contract.note(at, '`enum` needs a list of values')
  if (
    raw['x-open-enum'] === true &&
    (keyword === 'const' || values.some((value) => typeof value !== 'string'))
  )
    contract.refuse(childPointer(pointer, 'x-open-enum'), 'only an enum of strings can be open')
  const possible = types.length === 0 ? ([...new Set(values.map(typeOfValue))] as TypeName[]) : types
  const branches = possible.flatMap((type) => ofValues(raw, type, values))
  if (branches.length === 0 && values.length > 0)
    contract.note(pointer, 'no value fits both `type` and the listed values')
  const assertions: Assertion[] = []
  if (values.some((value) => typeof value === 'object' && value !== null))
    assertions.push({ assert: 'values', values })
  const others = options.keywords.filter((key) => !keywordsOfAll.includes(key) && !silentKeywords.has(key))
  if (keyword === 'const' && raw['enum'] !== undefined)
    assertions.push({ assert: 'values', values: asList(raw['enum']) })
  const { const: _, enum: __, ...rest } = raw
  const beside =
    others.length > 0
      ? typedSchema(contract, rest, pointer, {
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

/** Returns a function that reads the part of a schema about one type. */
function typeReader(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  { mixed, read }: { readonly mixed: boolean; readonly read: ReadInner },
): (type: TypeName) => PlainSchema {
  return (type) => {
    switch (type) {
      case 'string':
        return withChecks({ type }, stringChecks(contract, raw, pointer))
      case 'number':
      case 'integer':
        return withChecks({ type }, numberChecks(contract, raw, pointer, { type, mixed }))
      case 'array': {
        const each = readFirst(raw, pointer, read)
        const items = readItems(raw, pointer, { each, read })
        const tuple = each !== undefined && hasExactly(raw, each.length) ? { tuple: each } : {}
        return withChecks({ type, items, ...tuple }, arrayChecks(contract, raw, pointer))
      }
      case 'object':
        return objectSchema(contract, raw, pointer, read)
      case 'boolean':
      case 'null':
        return { type }
    }
  }
}

/** Reads the schemas of `prefixItems`. */
function readFirst(raw: JsonObject, pointer: string, read: ReadInner): readonly PlainSchema[] | undefined {
  const first = raw['prefixItems']
  if (!isList(first)) return undefined
  return first.map((one, index) => read(one, childPointer(pointer, 'prefixItems', index), false))
}

/** Whether an array has exactly `count` items, which makes it a tuple. */
function hasExactly(raw: JsonObject, count: number): boolean {
  return count > 0 && raw['minItems'] === count && (raw['items'] === false || raw['maxItems'] === count)
}

/** Reads the schema of the items of an array. With `prefixItems`, it is the union of the schemas of all items. */
function readItems(
  raw: JsonObject,
  pointer: string,
  { each, read }: { readonly each: readonly PlainSchema[] | undefined; readonly read: ReadInner },
): PlainSchema {
  const items = read(raw['items'] ?? true, childPointer(pointer, 'items'), false)
  if (each === undefined) return items
  const all = raw['items'] === false ? each : [...each, items]
  return all.some((one) => Object.keys(one).length === 0) ? {} : unionOfTypes(all)
}

function withChecks(schema: PlainSchema, checks: readonly Check[]): PlainSchema {
  return checks.length === 0 ? schema : { ...schema, [rulesKey]: { checks } }
}

function fitsType(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOfValue(value) === type
}
