import { type Component, type Contract, perContract } from '../read/contract.ts'
import { Gathered, marked } from '../read/gathered.ts'
import {
  type Json,
  type JsonObject,
  COMBINATIONS,
  asList,
  asObject,
  combinedIn,
  isList,
  isObject,
} from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { notedKey } from '../read/draft-07.ts'
import { widenedKey } from '../read/upgrade.ts'
import { readAssertions } from './assertions.ts'
import { readDiscriminator } from './discriminator.ts'
import { areAllDisjoint } from './disjoint.ts'
import { watchAssertions } from './open-assertions.ts'
import { docText } from './docs.ts'
import { familyOf } from './families.ts'
import { annotations, besideRef, isAnnotation } from './keywords.ts'
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

/** The maximum depth of nested schemas. The printers of types and schemas are recursive. */
const MAX_LEVELS = 64

/** The schema that accepts nothing. */
const NOTHING: PlainSchema = { [rulesKey]: { never: true } }

/**
 * Turns a schema of a contract into a schema of the synthesized document. Every keyword is either kept completely, or
 * reported with its place.
 */
export function readSchema(
  contract: Contract,
  raw: Json | undefined,
  pointer: string,
  use: SchemaUse = 'value',
): PlainSchema {
  contract.visit(pointer)
  if (raw === true) return {}
  if (raw === false) return NOTHING
  if (!isObject(raw)) {
    contract.widen(pointer, 'this is not a schema')
    return {}
  }
  const { nesting } = contract
  if (nesting.levels > MAX_LEVELS) {
    if (!nesting.isReported)
      contract.refuse(
        pointer,
        `it is nested too deeply, in more than ${MAX_LEVELS} other schemas; move it to \`components/schemas\``,
      )
    nesting.isReported = true
    return {}
  }
  if (nesting.levels === 0) nesting.isReported = false
  nesting.levels++
  const schema = readObject(contract, raw, pointer, use)
  nesting.levels--
  return schema
}

function readObject(contract: Contract, raw: JsonObject, pointer: string, use: SchemaUse): PlainSchema {
  // A part may refer to a component of bytes. Only in a form are these bytes to send, so the component is read in place.
  const target = use === 'part' ? contract.resolve(raw) : raw
  const inlined = target !== raw && isObject(target) && isBytes(target)
  const schema = readKeywords(contract, inlined ? target : raw, pointer, use)
  const description = docText(raw) ?? (inlined ? docText(target) : undefined)
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(raw['deprecated'] === true ? { deprecated: true } : {}),
  }
}

/**
 * Whether a schema means bytes where bytes can be sent. Such a schema is a string or has no type; it has the media
 * type of bytes and no encoding (OpenAPI 3.1, section 4.8.14.4), or the older `format: binary`, which many documents
 * of 3.1 still use.
 */
export function isBytes(raw: Json | undefined): boolean {
  if (!isObject(raw) || raw['contentEncoding'] !== undefined) return false
  const { type, format, contentMediaType } = raw
  const isOpen = (key: string) => isAnnotation(key) || (key === 'format' && format === 'binary')
  if (type === undefined ? !Object.keys(raw).every(isOpen) : type !== 'string') return false
  return format === 'binary' || (typeof contentMediaType === 'string' && isBinary(contentMediaType))
}

/** Dialects whose keywords have the same meaning as the keywords of the same name in JSON Schema 2020-12. */
const KNOWN_DIALECTS =
  /^https?:\/\/(?:json-schema\.org\/(?:draft\/20\d\d-\d\d|draft-0[4-7])\/(?:hyper-)?schema#?|spec\.openapis\.org\/oas\/3\.[12]\/dialect\/.*)$/

/** Keywords that combine schemas. The keywords beside them form one more schema that a value must match. */
const COMBINING = ['$ref', ...COMBINATIONS] as const

function readKeywords(contract: Contract, raw: JsonObject, pointer: string, use: SchemaUse): PlainSchema {
  if (typeof raw[widenedKey] === 'string') contract.widen(childPointer(pointer, 'nullable'), raw[widenedKey])
  if (typeof raw[notedKey] === 'string') contract.note(pointer, raw[notedKey])
  const keywords = Object.keys(raw).filter((key) => !isAnnotation(key))
  const dialect = raw['$schema'] ?? contract.root['jsonSchemaDialect']
  if (dialect !== undefined && !KNOWN_DIALECTS.test(String(dialect))) {
    const at = raw['$schema'] === undefined ? '#/jsonSchemaDialect' : childPointer(pointer, '$schema')
    contract.widen(at, `the dialect \`${String(dialect)}\` is not known`)
    return {}
  }
  const combinations = COMBINING.filter((key) => keywords.includes(key))
  const own = keywords.filter((key) => !(COMBINING as readonly string[]).includes(key))
  const branches: PlainSchema[] = []
  const assertions: Assertion[] = []
  relax(contract, raw)
  for (const key of combinations) {
    if (key === '$ref') branches.push(readReference(contract, raw, pointer, use))
    else branches.push(...readCombination(contract, raw, pointer, { key, assertions, use }))
  }
  const read = readOnce((inner, at, isProperty) =>
    readSchema(contract, inner, at, use === (isProperty ? 'form' : 'part') ? 'part' : 'value'),
  )
  const holdsBytes = use === 'part' && isBytes(raw)
  if (holdsBytes || (own.length > 0 && !(own.join() === 'type' && isSaidByAll(contract, raw))))
    branches.push(typedSchema(contract, raw, pointer, { keywords: own, holdsBytes, read }))
  assertions.push(...readAssertions(contract, raw, pointer, { keywords: own, read }))
  watchAssertions(contract, assertions, { raw, pointer })
  const said = branches.filter((branch) => Object.keys(branch).length > 0)
  const [first = {}, second] = said
  if (second === undefined) return withAssertions(first, assertions)
  // In an intersection, zod accepts a property if one closed object knows it, even if another closed object doesn't.
  if (closedIn(contract).has(raw)) assertions.push({ assert: 'allOf', schemas: said })
  return withAssertions({ allOf: said }, assertions)
}

/** Reads each inner schema once, even if several keywords need it. Otherwise, each level would double the time. */
function readOnce(read: ReadInner): ReadInner {
  const known = new Map<string, PlainSchema>()
  return (raw, pointer, isProperty) => {
    const key = `${isProperty} ${pointer}`
    const schema = known.get(key) ?? read(raw, pointer, isProperty)
    known.set(key, schema)
    return schema
  }
}

/** Records, for each branch of a combination, the names that don't belong to the direction according to the other branches. */
function relax(contract: Contract, raw: JsonObject): void {
  const all = contract.excluded(raw)
  if (all.size === 0) return
  // An alternative doesn't exclude names for other alternatives.
  const common = contract.excluded(raw, 'all')
  contract.relaxed.set(raw, common)
  for (const branch of [raw['then'], raw['else'], ...Object.values(asObject(raw['dependentSchemas']))])
    if (isObject(branch)) contract.relaxed.set(branch, common)
  for (const key of COMBINATIONS)
    for (const branch of asList(raw[key]))
      if (isObject(branch)) contract.relaxed.set(branch, key === 'allOf' ? all : common)
}

/** Whether all schemas that a schema is combined with have its type, so that the type adds nothing. */
function isSaidByAll(contract: Contract, raw: JsonObject): boolean {
  const list = partsOf(contract, raw).map((each) => contract.resolve(each))
  return list.length > 0 && list.every((each) => isObject(each) && each['type'] === raw['type'])
}

/** The schemas that contain a closed object, outside of properties and items. */
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

function readReference(contract: Contract, raw: JsonObject, pointer: string, use: SchemaUse): PlainSchema {
  const reference = String(raw['$ref'])
  for (const key of Object.keys(raw)) {
    if (!annotations.has(key) || besideRef.has(key)) continue
    contract.note(
      childPointer(pointer, key),
      `\`${key}\` beside \`$ref\` has no effect; put it into the component`,
    )
  }
  const at = childPointer(pointer, '$ref')
  const component = contract.component(raw)
  if (component && contract.endsInItself(raw)) {
    contract.widen(at, `\`${reference}\` leads back here without a value in between, so it says nothing`)
    return {}
  }
  const relaxed = contract.relaxed.get(raw)
  if (relaxed && component && contract.demanded(component.raw).some((name) => relaxed.has(name)))
    return readInPlace(contract, component, { relaxed, at, use })
  if (component) {
    // In a component that extends it, the reference means the base. Anywhere else, it means the union of all that extend it.
    const family =
      /^#\/components\/schemas\/[^/]+\/allOf\/\d+$/.test(pointer) && familyOf(contract, component.raw)
    return { $ref: `#/components/schemas/${family ? family.base : component.name}` }
  }
  contract.missing({ pointer }, reference, at)
  return {}
}

/**
 * Reads a component in place of a reference to it, because the component requires properties that may be missing here:
 * according to a schema beside the reference, they don't belong to the direction.
 */
function readInPlace(
  contract: Contract,
  { raw, pointer, name }: Component,
  {
    relaxed,
    at,
    use,
  }: { readonly relaxed: ReadonlySet<string>; readonly at: string; readonly use: SchemaUse },
): PlainSchema {
  if (!isObject(raw) || contract.inPlace.has(pointer)) {
    contract.widen(
      at,
      `\`${name}\` demands what doesn't belong to a ${contract.direction}, and leads back here`,
    )
    return {}
  }
  const copy = contract.copy(raw)
  contract.relaxed.set(copy, relaxed)
  contract.inPlace.add(pointer)
  const schema = readSchema(contract, copy, pointer, use)
  contract.inPlace.delete(pointer)
  return schema
}

function readCombination(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  {
    key,
    assertions,
    use,
  }: {
    readonly key: 'allOf' | 'anyOf' | 'oneOf'
    readonly assertions: Assertion[]
    readonly use: SchemaUse
  },
): readonly PlainSchema[] {
  const list = raw[key]
  const at = childPointer(pointer, key)
  if (!isList(list) || list.length === 0) {
    contract.widen(at, `\`${key}\` needs a list of schemas`)
    return []
  }
  const branches = list.map((branch, index) => readSchema(contract, branch, childPointer(at, index), use))
  if (branches.length === 1 || key === 'allOf') return branches
  // `oneOf` means "exactly one", and a union means "at least one". They are the same only if no value matches two branches.
  if (key === 'oneOf' && !areAllDisjoint(list, (each) => contract.resolve(each)))
    assertions.push({ assert: 'oneOf', schemas: branches })
  const discriminator = readDiscriminator(contract, raw, { list, pointer })
  return [{ anyOf: branches, ...(discriminator && { [rulesKey]: { discriminator } }) }]
}
