import type { ErrorObject, ValidateFunction } from 'ajv'

import { ContractError, unsupportedSpec } from './errors.ts'
import { contractAjv, contractFormats } from './formats.ts'
import { atPointer, escapeToken, isObject, objectOf, pointerOf, type JsonObject } from './json.ts'
import type { SchemaAt, Spec } from './model.ts'

/** A violation of a schema. Contains no part of the rejected value. @public */
export interface SchemaIssue {
  /** JSON pointer within the value; empty for the value itself. */
  readonly path: string
  readonly reason: string
}

/**
 * Whether a value is sent in a request or in a response. In a request, `required` doesn't apply to `readOnly`
 * properties. In a response, `required` doesn't apply to `writeOnly` properties (OpenAPI 3.0, "Schema Object").
 * Without a direction, `required` applies to all properties, unless the oracle is `loose`.
 *
 * @public
 */
export type Direction = 'request' | 'response'

const EXCLUDES = { request: 'readOnly', response: 'writeOnly' } as const

/**
 * Validates JSON values with Ajv against the schemas of a document (JSON Schema 2020-12), independently of all
 * generated validators.
 *
 * Unlike standard JSON Schema, an oracle checks formats, including those of `@concord/specs/formats.json`. By
 * default, an enum with `x-open-enum: true` also accepts values that it doesn't list.
 *
 * @public
 */
export interface SchemaOracle {
  /**
   * Returns the reasons why the value is rejected; an empty list if the value is accepted.
   *
   * @throws {@link ContractError} if the schema can't be compiled.
   */
  judge(schema: SchemaAt, value: unknown, direction?: Direction): readonly SchemaIssue[]
  /** Returns whether the value is accepted. @throws {@link ContractError} if the schema can't be compiled. */
  accepts(schema: SchemaAt, value: unknown, direction?: Direction): boolean
  /** Returns the schema of a component, by name. */
  component(name: string): SchemaAt
  /** If `schema` is a reference, returns the schema that it leads to. Otherwise, returns `schema` itself. */
  deref(schema: unknown): unknown
}

/** A document with schemas: OpenAPI or AsyncAPI. */
export type JudgedDocument = Pick<Spec, 'document' | 'file'>

/** Keywords that don't restrict values, or that Ajv would misinterpret. */
const ignored = new Set([
  '$recursiveAnchor',
  '$recursiveRef',
  'id',
  'nullable',
  'example',
  'examples',
  'discriminator',
  'xml',
  'externalDocs',
  'description',
  'title',
])

/**
 * Creates the oracle for a document.
 *
 * @param options
 *   - `closedEnums`: whether to reject values that an open enum doesn't list.
 *   - `loose`: whether to accept invalid values that clients needn't reject. Clients don't check some formats,
 *     `readOnly` properties in requests, and `writeOnly` properties in responses. Without a direction, `readOnly` and `writeOnly` properties accept any value
 *     and aren't required.
 *   - `widened`: JSON pointers to schemas and keywords that the oracle ignores. An ignored schema accepts any value.
 * @public
 */
export function schemaOracle(
  spec: JudgedDocument,
  { closedEnums = false, loose = false, widened = NONE } = {},
): SchemaOracle {
  if (widened.size > 0) return makeOracle(spec, { closedEnums, loose, widened })
  const kept = made[`${closedEnums ? 'closed' : 'open'} ${loose ? 'loose' : 'strict'}`]
  const known = kept.get(spec)
  if (known) return known
  const oracle = makeOracle(spec, { closedEnums, loose, widened })
  kept.set(spec, oracle)
  return oracle
}

interface OracleOptions {
  readonly closedEnums: boolean
  readonly loose: boolean
  readonly widened: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** Oracles are kept, since compiling takes time, and a contract doesn't change. */
const made = {
  'open strict': new WeakMap<JudgedDocument, SchemaOracle>(),
  'open loose': new WeakMap<JudgedDocument, SchemaOracle>(),
  'closed strict': new WeakMap<JudgedDocument, SchemaOracle>(),
  'closed loose': new WeakMap<JudgedDocument, SchemaOracle>(),
}

const MAX_ISSUES = 200
/** If a value has more members than this, only the first issue is listed, because each issue takes memory. */
const LARGE = 20_000

function isLarge(value: unknown): boolean {
  let left = LARGE
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const members = Array.isArray(next) ? next : Object.values(next)
    left -= members.length
    if (left < 0) return true
    for (const member of members) waiting.push(member)
  }
  return false
}

function makeOracle(spec: JudgedDocument, { closedEnums, loose, widened }: OracleOptions): SchemaOracle {
  const ajv = {
    every: contractAjv({ onlyCommon: loose }),
    first: contractAjv({ allErrors: false, onlyCommon: loose }),
  }
  const compiled = new Map<string, ValidateFunction>()

  const deref = (schema: unknown): unknown => {
    let current = schema
    for (let depth = 0; isObject(current) && typeof current['$ref'] === 'string' && depth < 50; depth += 1) {
      const { $ref, ...siblings } = current
      const target = atPointer(spec.document, pointerOf($ref))
      current = isObject(target) ? { ...target, ...siblings } : target
    }
    return current
  }

  const validator = (
    at: SchemaAt,
    mode: keyof typeof ajv,
    direction: Direction | undefined,
  ): ValidateFunction => {
    const excluding = direction ? [EXCLUDES[direction]] : loose ? Object.values(EXCLUDES) : []
    const isExcluded = (property: unknown): boolean =>
      excluding.some((keyword) => objectOf(deref(property))[keyword] === true)
    const key = `${mode} ${direction ?? ''} ${at.component ? `#/components/schemas/${at.component}` : at.pointer}`
    const known = compiled.get(key)
    if (known) return known
    let made: ValidateFunction
    try {
      made = ajv[mode].compile(
        bundle(spec.document, at, { closedEnums, isExcluded, loose, widened }) as object | boolean,
      )
    } catch (cause) {
      if (cause instanceof ContractError) throw cause
      throw unsupportedSpec(
        `The schema at ${at.pointer} of ${spec.file} can't be compiled: ${String(cause)}.`,
        'Correct the schema.',
        { cause },
      )
    }
    compiled.set(key, made)
    return made
  }

  const judge = (at: SchemaAt, value: unknown, direction?: Direction): readonly SchemaIssue[] => {
    const check = validator(at, isLarge(value) ? 'first' : 'every', direction)
    const accepted = verdictOf(check, value)
    if (accepted === undefined) return [{ path: '', reason: 'is nested too deeply to be validated' }]
    if (accepted) return []
    return (check.errors ?? []).slice(0, MAX_ISSUES).map((error) => ({
      path: error.instancePath,
      reason: reasonOf(error),
    }))
  }

  return {
    judge,
    accepts: (at, value, direction) => verdictOf(validator(at, 'first', direction), value) === true,
    component: (name) => ({
      pointer: `/components/schemas/${name}`,
      schema: { $ref: `#/components/schemas/${name}` },
      component: name,
    }),
    deref,
  }
}

/** Returns the verdict on a value; undefined if the value is nested too deeply. */
function verdictOf(check: ValidateFunction, value: unknown): boolean | undefined {
  try {
    return check(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}

/**
 * Explains an error without showing the value. Allowed values and the names of missing properties can be shown,
 * because they come from the document.
 */
function reasonOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue'])}`
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params['allowedValues'])}`
  if (keyword === 'format') {
    const own = contractFormats[String(params['format'])]
    if (own) return own.reason
  }
  if (keyword === 'not') return 'has a value that the schema forbids (`not`)'
  return message ?? `violates ${keyword}`
}

/** Creates a self-contained schema. Its `$defs` contain every schema that it refers to. */
function bundle(
  document: JsonObject,
  { schema, pointer }: SchemaAt,
  options: {
    readonly closedEnums: boolean
    /** Returns whether a property's `readOnly` or `writeOnly` makes it optional. */
    readonly isExcluded: (property: unknown) => boolean
    /** Whether to accept any value of an excluded property. */
    readonly loose: boolean
    readonly widened: ReadonlySet<string>
  },
): unknown {
  const definitions: Record<string, unknown> = {}
  const keys = new Map<string, string>()

  const keyOf = (reference: string): string => {
    const known = keys.get(reference)
    if (known) return known
    if (!reference.startsWith('#/')) throw unsupported(`the reference \`${reference}\``)
    const key = `s${keys.size}`
    keys.set(reference, key)
    const target = atPointer(document, pointerOf(reference))
    if (target === undefined) throw noTarget(reference)
    definitions[key] = true
    definitions[key] = mapSchema(target, pointerOf(reference), change)
    return key
  }

  const change = (one: JsonObject, at: string): JsonObject => {
    if (options.widened.has(at)) return {}
    const kept: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(one)) {
      if (options.widened.has(`${at}/${escapeToken(keyword)}`)) continue
      if (ignored.has(keyword) || keyword.startsWith('x-')) continue
      // In many OpenAPI 3.1 documents, `exclusiveMinimum` and `exclusiveMaximum` are still booleans, as in 3.0. This
      // code ignores these booleans; the generator reports them.
      if (keyword.startsWith('exclusive') && typeof value === 'boolean') continue
      if (keyword === 'enum' && one['x-open-enum'] === true && !options.closedEnums) continue
      if (keyword === '$id' || keyword === '$anchor' || keyword === '$dynamicRef')
        throw unsupported(`\`${keyword}\``)
      // A circle of references describes no schema.
      if (keyword === '$ref' && isCircle(document, String(value))) continue
      if (keyword === '$ref') kept[keyword] = `#/$defs/${keyOf(String(value))}`
      // Ajv doesn't compile an empty enum, so `not: {}` replaces it. Both accept nothing.
      else if (keyword === 'enum' && Array.isArray(value) && value.length === 0) kept['not'] = {}
      else if (keyword === 'required' && Array.isArray(value))
        // Ajv doesn't compile a list of required names that contains duplicates.
        kept[keyword] = [...new Set(value)].filter(
          (name) => !options.isExcluded(objectOf(one['properties'])[String(name)]),
        )
      else if (keyword === 'properties' && options.loose && isObject(value))
        kept[keyword] = Object.fromEntries(
          Object.entries(value).map(([name, property]) => [name, options.isExcluded(property) || property]),
        )
      else kept[keyword] = value
    }
    return kept
  }

  const root = mapSchema(schema, pointer, change)
  return isObject(root)
    ? { ...root, $defs: { ...(root['$defs'] as object | undefined), ...definitions } }
    : root
}

function isCircle(document: JsonObject, start: string): boolean {
  const seen = new Set<unknown>()
  for (let next: unknown = start; typeof next === 'string' && next.startsWith('#/');) {
    if (seen.has(next)) return true
    seen.add(next)
    next = objectOf(atPointer(document, pointerOf(next)))['$ref']
  }
  return false
}

function noTarget(reference: string): ContractError {
  return unsupportedSpec(
    `A schema refers to \`${reference}\`, which doesn't exist.`,
    'Correct the reference.',
  )
}

function unsupported(what: string): ContractError {
  return unsupportedSpec(
    `A schema uses ${what}, which isn't supported.`,
    'Refer to schemas only by their paths within the document (#/components/schemas/...).',
  )
}

/** Keywords whose value is a schema (JSON Schema 2020-12). */
const single = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'unevaluatedItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'contentSchema',
])
/** Keywords whose value is a list of schemas. */
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
/** Keywords whose value is a map of schemas. */
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

/**
 * Copies a schema, and applies `change` to it and to each schema in it. An invalid schema, such as null, becomes a
 * schema that accepts everything, as in generated clients.
 */
function mapSchema(
  schema: unknown,
  pointer: string,
  change: (schema: JsonObject, pointer: string) => JsonObject,
): unknown {
  if (!isObject(schema)) return schema !== false
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(change(schema, pointer))) {
    const at = `${pointer}/${keyword}`
    if (single.has(keyword)) copy[keyword] = mapSchema(value, at, change)
    else if (lists.has(keyword) && Array.isArray(value))
      copy[keyword] = value.map((one, index) => mapSchema(one, `${at}/${index}`, change))
    else if (maps.has(keyword) && isObject(value)) {
      copy[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, one]) => [
          name,
          mapSchema(one, `${at}/${escapeToken(name)}`, change),
        ]),
      )
    } else copy[keyword] = value
  }
  return copy
}
