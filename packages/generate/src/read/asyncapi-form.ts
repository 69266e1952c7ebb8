import { createRequire } from 'node:module'

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'

import { type Json, type JsonObject, asObject, isList, isObject } from './json.ts'
import { childPointer } from './pointer.ts'

/** A place where a document breaks the rules of AsyncAPI. */
interface FormError {
  readonly pointer: string
  readonly reason: string
}

const load = createRequire(import.meta.url)

/** Caches the validators, because compiling them takes longer than everything else here. */
const compiled = new Map<string, ValidateFunction>()

/**
 * Validates a document against the JSON Schema that the AsyncAPI specification publishes for the document's version.
 * Payload schemas aren't validated here, because the code that reads them reports their errors. Bindings are
 * validated for WebSockets only, because the generator doesn't use any others.
 */
export function asyncApiFormErrors(document: JsonObject, version: '3.0.0' | '3.1.0'): FormError[] {
  let validate = compiled.get(version)
  if (!validate) {
    validate = compile(load(`@asyncapi/specs/schemas/${version}.json`))
    compiled.set(version, validate)
  }
  if (validate(document)) return []
  return topmost(validate.errors ?? []).map(({ pointer, error }) => ({ pointer, reason: reasonOf(error) }))
}

function compile(schema: JsonObject): ValidateFunction {
  const definitions = asObject(schema['definitions'])
  const kept = Object.entries(definitions).flatMap(([id, definition]): [string, Json][] => {
    if (id.startsWith('http://json-schema.org/')) return []
    return [[id, isOpen(id) ? { $id: id } : dispatched(definition)]]
  })
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  return ajv.compile({
    ...(dispatched(schema) as JsonObject),
    definitions: Object.fromEntries(kept),
  })
}

/** Whether to replace a definition with one that accepts any value. */
function isOpen(id: string): boolean {
  if (id.includes('/bindings/')) return !id.includes('/websockets/')
  return /\/(?:schema|anySchema|multiFormatSchema|openapiSchema_3_0|avroSchema_v1)\.json$/.test(id)
}

/**
 * If a `oneOf` allows either a reference or an object, replaces it with an `if` that checks for `$ref`. The validator
 * can then report what is wrong with the object. With `oneOf`, it would only report that no branch matches.
 */
function dispatched(schema: Json): Json {
  if (isList(schema)) return schema.map(dispatched)
  if (!isObject(schema)) return schema
  const members = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, dispatched(value)]))
  const { oneOf, ...rest } = members
  if (!isList(oneOf) || oneOf.length !== 2) return members
  const isReference = (branch: Json) =>
    isObject(branch) && /\/Reference(?:Object)?\.json$/.test(String(branch['$ref']))
  const reference = oneOf.find(isReference)
  const thing = oneOf.find((branch) => branch !== reference)
  if (reference === undefined) return members
  return { ...rest, if: { type: 'object', required: ['$ref'] }, then: reference, else: thing ?? true }
}

interface PlacedError {
  readonly error: ErrorObject
  readonly pointer: string
}

/** For a union without a matching branch, keeps the error of the union, and omits the errors of the branches. */
function topmost(errors: readonly ErrorObject[]): PlacedError[] {
  const unions = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
  const isInside = (error: ErrorObject) =>
    unions.some(
      (union) =>
        union !== error &&
        (error.instancePath === union.instancePath ||
          error.instancePath.startsWith(`${union.instancePath}/`)) &&
        !unions.includes(error),
    )
  const found = new Map<string, PlacedError>()
  for (const error of errors) {
    if (error.keyword === 'if' || isInside(error)) continue
    const extra: unknown = error.params['additionalProperty']
    const pointer = `#${error.instancePath}`
    const place = typeof extra === 'string' ? childPointer(pointer, extra) : pointer
    if (!found.has(place)) found.set(place, { error, pointer: place })
  }
  return [...found.values()]
}

function reasonOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `\`${params['additionalProperty']}\` is not allowed here`
  if (keyword === 'required') return `\`${params['missingProperty']}\` is missing`
  if (keyword === 'enum' || keyword === 'const')
    return `it must be ${[params['allowedValues'] ?? params['allowedValue']].flat().map(String).join(' or ')}`
  if (keyword === 'oneOf' || keyword === 'anyOf') return 'it has none of the forms that are allowed here'
  return message ?? keyword
}
