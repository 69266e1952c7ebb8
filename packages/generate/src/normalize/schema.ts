import { type Component, type Contract, type ContractNode, perContract } from '../read/contract.ts'
import { Gathered, marked } from '../read/gathered.ts'
import {
  type Json,
  type JsonObject,
  COMBINATIONS,
  asList,
  asObject,
  combinedIn,
  isObject,
} from '../read/json.ts'
import { notedKey } from '../read/draft-07.ts'
import { widenedKey } from '../read/upgrade.ts'
import { readAssertions } from './assertions.ts'
import { readDiscriminator } from './discriminator.ts'
import { areAllDisjoint } from './disjoint.ts'
import { watchAssertions } from './open-assertions.ts'
import { docText } from './docs.ts'
import { familyOf } from './families.ts'
import { IDLE_BESIDE_REF, isAnnotation } from './keywords.ts'
import { isBinary } from './media.ts'
import type { ReadInner } from './object-schema.ts'
import { type Assertion, type PlainSchema, rulesKey, withAssertions } from './rules.ts'
import { typedSchema } from './typed-schema.ts'

/** The uses of a schema that affect its meaning. */
type SchemaUse =
  | 'value'
  /** A multipart form, whose parts may hold bytes. */
  | 'form'
  /** A part of a form. */
  | 'part'

/** The maximum depth of nested schemas. It protects the stack: the printers of types and schemas are recursive. */
const MAX_LEVELS = 64

const NOTHING: PlainSchema = { [rulesKey]: { never: true } }

/**
 * Turns a schema of a contract into a {@link PlainSchema}. Every keyword is either kept completely, or reported with
 * its place.
 */
export function readSchema(schema: ContractNode, use: SchemaUse = 'value'): PlainSchema {
  schema.visit()
  if (schema.value === true) return {}
  if (schema.value === false) return NOTHING
  if (!schema.isObject) {
    schema.widen('this is not a schema')
    return {}
  }
  const { nesting } = schema.contract
  if (nesting.levels > MAX_LEVELS) {
    if (!nesting.isReported)
      schema.reject(
        `this schema is nested too deeply, in more than ${MAX_LEVELS} other schemas; move it to \`components/schemas\``,
      )
    nesting.isReported = true
    return {}
  }
  if (nesting.levels === 0) nesting.isReported = false
  nesting.levels++
  const plain = readObject(schema, use)
  nesting.levels--
  return plain
}

function readObject(schema: ContractNode, use: SchemaUse): PlainSchema {
  const { raw } = schema
  // The same component can mean bytes where a part of a form refers to it, and a string everywhere else. Its type is
  // string, so the part can't use this type.
  const target = use === 'part' ? schema.resolved() : raw
  const inlined = target !== raw && isBytes(target)
  const plain = readKeywords(inlined ? schema.with(target) : schema, use)
  const description = docText(raw) ?? (inlined ? docText(target) : undefined)
  return {
    ...plain,
    ...(description === undefined ? {} : { description }),
    ...(raw['deprecated'] === true ? { deprecated: true } : {}),
  }
}

/**
 * Whether a schema means bytes in places where bytes are possible, such as in a part of a form. Such a schema has the
 * type string or no type, and no `contentEncoding`. It has a binary `contentMediaType` (OpenAPI 3.1, section
 * 4.8.14.4), or the older `format: binary`, which many OpenAPI 3.1 documents still use.
 */
export function isBytes(raw: Json | undefined): boolean {
  if (!isObject(raw) || raw['contentEncoding'] !== undefined) return false
  const { type, format, contentMediaType } = raw
  const isOpen = (key: string) => isAnnotation(key) || (key === 'format' && format === 'binary')
  if (type === undefined ? !Object.keys(raw).every(isOpen) : type !== 'string') return false
  return format === 'binary' || (typeof contentMediaType === 'string' && isBinary(contentMediaType))
}

/** Dialects whose keywords are read as those of JSON Schema 2020-12. */
const KNOWN_DIALECTS =
  /^https?:\/\/(?:json-schema\.org\/(?:draft\/20\d\d-\d\d|draft-0[4-7])\/(?:hyper-)?schema#?|spec\.openapis\.org\/oas\/3\.[12]\/dialect\/.*)$/

/** Keywords that combine schemas. The keywords beside them form one more schema that a value must match. */
const COMBINING = ['$ref', ...COMBINATIONS] as const

function readKeywords(schema: ContractNode, use: SchemaUse): PlainSchema {
  const { contract, raw } = schema
  if (typeof raw[widenedKey] === 'string') schema.widen(raw[widenedKey], 'nullable')
  if (typeof raw[notedKey] === 'string') schema.note(raw[notedKey])
  const keywords = Object.keys(raw).filter((key) => !isAnnotation(key))
  const ownDialect = schema.at('$schema')
  const dialect = ownDialect.value === undefined ? contract.root.at('jsonSchemaDialect') : ownDialect
  if (dialect.value !== undefined && !KNOWN_DIALECTS.test(String(dialect.value))) {
    dialect.widen(`the dialect \`${String(dialect.value)}\` is not known`)
    return {}
  }
  const combinations = COMBINING.filter((key) => keywords.includes(key))
  const own = keywords.filter((key) => !(COMBINING as readonly string[]).includes(key))
  const branches: PlainSchema[] = []
  const assertions: Assertion[] = []
  relax(contract, raw)
  for (const key of combinations) {
    if (key === '$ref') branches.push(readReference(schema, use))
    else branches.push(...readCombination(schema, key, use, assertions))
  }
  const read = readOnce((inner, isProperty) =>
    readSchema(inner, use === (isProperty ? 'form' : 'part') ? 'part' : 'value'),
  )
  const holdsBytes = use === 'part' && isBytes(raw)
  if (holdsBytes || (own.length > 0 && !(own.join() === 'type' && isSaidByAll(contract, raw))))
    branches.push(typedSchema(schema, { keywords: own, holdsBytes, read }))
  assertions.push(...readAssertions(schema, own, read))
  watchAssertions(schema, assertions)
  const said = branches.filter((branch) => Object.keys(branch).length > 0)
  const [first = {}, second] = said
  if (second === undefined) return withAssertions(first, assertions)
  // In an intersection of closed objects, zod accepts a property that only one of the objects lists. So an assertion
  // checks the value against each schema separately.
  if (closedIn(contract).has(raw)) assertions.push({ assert: 'allOf', schemas: said })
  return withAssertions({ allOf: said }, assertions)
}

/** Reads each inner schema once, even if several keywords need it. Rereading would double the time at each level. */
function readOnce(read: ReadInner): ReadInner {
  const known = new Map<string, PlainSchema>()
  return (schema, isProperty = false) => {
    const key = `${isProperty} ${schema.pointer}`
    const plain = known.get(key) ?? read(schema, isProperty)
    known.set(key, plain)
    return plain
  }
}

/**
 * For each branch of a combination, records the properties that other branches exclude from requests, or from
 * responses. The branch then doesn't require these properties.
 */
function relax(contract: Contract, raw: JsonObject): void {
  const all = contract.excluded(raw)
  if (all.size === 0) return
  // A value needs to match only one branch of `anyOf` or `oneOf`, so these branches exclude nothing from each other.
  const common = contract.excluded(raw, 'all')
  contract.relaxed.set(raw, common)
  for (const branch of [raw['then'], raw['else'], ...Object.values(asObject(raw['dependentSchemas']))])
    if (isObject(branch)) contract.relaxed.set(branch, common)
  for (const key of COMBINATIONS)
    for (const branch of asList(raw[key]))
      if (isObject(branch)) contract.relaxed.set(branch, key === 'allOf' ? all : common)
}

/** Whether the `type` of `raw` is redundant, because all schemas that it is combined with have the same `type`. */
function isSaidByAll(contract: Contract, raw: JsonObject): boolean {
  const list = partsOf(contract, raw).map((each) => contract.resolve(each))
  return list.length > 0 && list.every((each) => isObject(each) && each['type'] === raw['type'])
}

/** The schemas that have `additionalProperties: false`, or are combined with a schema that has it. */
const closedIn = perContract(
  (contract) =>
    new Gathered((raw) =>
      marked(
        raw['additionalProperties'] === false,
        partsOf(contract, raw).filter((one) => isObject(one)),
      ),
    ),
)

/** The schemas that a schema is combined with. */
function partsOf(contract: Contract, raw: JsonObject): readonly Json[] {
  const target = typeof raw['$ref'] === 'string' ? contract.component(raw)?.raw : undefined
  return [...(target === undefined ? [] : [target]), ...combinedIn(raw)]
}

function readReference(schema: ContractNode, use: SchemaUse): PlainSchema {
  const { contract, raw, pointer } = schema
  const reference = String(raw['$ref'])
  for (const key of Object.keys(raw))
    if (IDLE_BESIDE_REF.has(key))
      schema.note(`\`${key}\` beside \`$ref\` has no effect; move it to the target of the reference`, key)
  const at = schema.at('$ref')
  const component = contract.component(raw)
  if (component && contract.endsInItself(raw)) {
    at.widen(
      `\`${reference}\` leads back here without a property or an item in between, so it has no meaning`,
    )
    return {}
  }
  const relaxed = contract.relaxed.get(raw)
  if (relaxed && component && contract.demanded(component.raw).some((name) => relaxed.has(name)))
    return readInPlace(component, at, relaxed, use)
  if (component) {
    // In the `allOf` of a component, a reference to a family (see `Family`) means the family's base type. Elsewhere,
    // it means the family's union.
    const family =
      /^#\/components\/schemas\/[^/]+\/allOf\/\d+$/.test(pointer) && familyOf(contract, component.raw)
    return { $ref: `#/components/schemas/${family ? family.base : component.name}` }
  }
  at.missing(schema)
  return {}
}

/**
 * Reads a component's schema as if it were written in place of the reference. The component's type can't be used: it
 * requires properties that a schema beside the reference excludes from requests, or from responses.
 */
function readInPlace(
  { raw, pointer, name }: Component,
  at: ContractNode,
  relaxed: ReadonlySet<string>,
  use: SchemaUse,
): PlainSchema {
  const { contract } = at
  if (!isObject(raw) || contract.inPlace.has(pointer)) {
    at.widen(
      `\`${name}\` refers to itself, and requires properties that don't belong to a ${contract.direction}`,
    )
    return {}
  }
  const copy = contract.copy(raw)
  contract.relaxed.set(copy, relaxed)
  contract.inPlace.add(pointer)
  const schema = readSchema(contract.nodeOf({ raw: copy, pointer }), use)
  contract.inPlace.delete(pointer)
  return schema
}

function readCombination(
  schema: ContractNode,
  key: 'allOf' | 'anyOf' | 'oneOf',
  use: SchemaUse,
  assertions: Assertion[],
): readonly PlainSchema[] {
  const { contract } = schema
  const list = schema.at(key).items()
  if (list.length === 0) {
    schema.widen(`\`${key}\` must be a list of schemas`, key)
    return []
  }
  const branches = list.map((branch) => readSchema(branch, use))
  if (branches.length === 1 || key === 'allOf') return branches
  // `oneOf` means "exactly one", and a union means "at least one". They are the same only if no value matches two
  // branches.
  const raws = list.map(({ value }) => value ?? null)
  if (key === 'oneOf' && !areAllDisjoint(raws, (each) => contract.resolve(each)))
    assertions.push({ assert: 'oneOf', schemas: branches })
  const discriminator = readDiscriminator(schema, list)
  return [{ anyOf: branches, ...(discriminator && { [rulesKey]: { discriminator } }) }]
}
