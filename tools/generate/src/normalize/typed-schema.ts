import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, typeOfValue } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { arrayChecks, numberChecks, stringChecks } from './constraints.ts'
import { listedValues } from './disjoint.ts'
import { isAnnotation, keywordsOfType, refusals } from './keywords.ts'
import { type ReadInner, objectSchema } from './object-schema.ts'
import { type Check, type PlainSchema, rulesKey } from './rules.ts'

type TypeName = NonNullable<PlainSchema['type']>

interface TypedSchemaOptions {
  /** The keywords of the schema that assert something. */
  readonly keywords: readonly string[]
  /** Whether a string is bytes to send. */
  readonly holdsBytes: boolean
  readonly read: ReadInner
}

/** Reads a schema that says which types its values have; one without any assertion accepts everything. */
export function typedSchema(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  { keywords, holdsBytes, read }: TypedSchemaOptions,
): PlainSchema {
  const types = readTypes(contract, raw, pointer)
  const allowed = new Set(['type', 'const', 'enum', ...types.flatMap((type) => keywordsOfType[type] ?? [])])
  for (const key of keywords) {
    if (!allowed.has(key)) contract.refuse(childPointer(pointer, key), `\`${key}\`: ${whyNot(key, types)}`)
  }
  if (raw['enum'] !== undefined && !listedValues(raw)) {
    contract.refuse(childPointer(pointer, 'enum'), '`enum` needs a list of values')
  }
  if (raw['x-open-enum'] === true && !listedValues(raw)) {
    contract.refuse(childPointer(pointer, 'x-open-enum'), 'there is no `enum` here that could be open')
  }
  if (types.length === 0) return {}
  if (holdsBytes) {
    if (types.join() !== 'string')
      contract.refuse(childPointer(pointer, 'type'), 'a part that holds bytes can be nothing else')
    for (const key of keywords) {
      if (key !== 'type')
        contract.refuse(childPointer(pointer, key), `\`${key}\`: bytes to send are not looked into`)
    }
    return { type: 'string', [rulesKey]: { binary: true } }
  }
  const values = readListed(contract, raw, pointer)
  const readType = typeReader(contract, raw, pointer, { mixed: types.length > 1, read })
  const branches = types.flatMap((type) => (values ? ofValues(raw, type, values) : [readType(type)]))
  const [first] = branches
  if (!first) {
    contract.refuse(pointer, 'no value fits both `type` and the listed values')
    return {}
  }
  return branches.length === 1 ? first : { anyOf: branches }
}

function readTypes(contract: Contract, raw: JsonObject, pointer: string): TypeName[] {
  const type = raw['type']
  if (type === undefined) return [...new Set(listedValues(raw)?.map(typeOfValue))] as TypeName[]
  const named = isList(type) ? type : [type]
  if (
    named.length === 0 ||
    named.some((name) => typeof name !== 'string' || !Object.hasOwn(keywordsOfType, name))
  ) {
    contract.refuse(childPointer(pointer, 'type'), `\`${JSON.stringify(type)}\` is not a type of JSON Schema`)
    return []
  }
  const types = new Set(named as TypeName[])
  if (types.has('number')) types.delete('integer')
  return [...types]
}

function whyNot(key: string, types: readonly string[]): string {
  const known = refusals.get(key)
  if (known !== undefined) return known
  const owner = Object.entries(keywordsOfType).find(([, keywords]) => keywords.includes(key))?.[0]
  if (owner === undefined) return 'the generator does not know this keyword'
  if (types.length === 0) return `without \`type\` it would hold for some types only; add type: ${owner}`
  return `it has no effect on type ${types.join(', ')}`
}

/** The values that `const` or `enum` list, if they can be written as literals. */
function readListed(contract: Contract, raw: JsonObject, pointer: string): readonly Json[] | undefined {
  const values = listedValues(raw)
  if (!values) return undefined
  const keyword = raw['const'] === undefined ? 'enum' : 'const'
  for (const key of Object.keys(raw)) {
    if (key === 'type' || key === keyword || isAnnotation(key)) continue
    contract.refuse(
      childPointer(pointer, key),
      `\`${key}\` beside \`${keyword}\`: list the values that it leaves`,
    )
  }
  if (values.some((value) => typeof value === 'object' && value !== null)) {
    contract.refuse(
      childPointer(pointer, keyword),
      `\`${keyword}\` can only list strings, numbers, booleans and null`,
    )
  }
  if (
    raw['x-open-enum'] === true &&
    (keyword === 'const' || values.some((value) => typeof value !== 'string'))
  ) {
    contract.refuse(childPointer(pointer, 'x-open-enum'), 'only an enum of strings can be open')
  }
  return values
}

function ofValues(raw: JsonObject, type: TypeName, values: readonly Json[]): PlainSchema[] {
  const fitting = values.filter((value): value is string | number | boolean | null => fitsType(value, type))
  const [first] = fitting
  if (first === undefined) return []
  if (first === null) return [{ type }]
  if (raw['x-open-enum'] === true) return [{ type: 'string', [rulesKey]: { openEnum: fitting.map(String) } }]
  if (fitting.length === 1) return [{ type, const: first }]
  return [{ type, enum: fitting.filter((value) => value !== null) }]
}

/** Reads the part of a schema that is about one type. */
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
        const items = read(raw['items'] ?? true, childPointer(pointer, 'items'), false)
        return withChecks({ type, items }, arrayChecks(contract, raw, pointer))
      }
      case 'object':
        return objectSchema(contract, raw, pointer, read)
      case 'boolean':
      case 'null':
        return { type }
    }
  }
}

function withChecks(schema: PlainSchema, checks: readonly Check[]): PlainSchema {
  return checks.length === 0 ? schema : { ...schema, [rulesKey]: { checks } }
}

function fitsType(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOfValue(value) === type
}
