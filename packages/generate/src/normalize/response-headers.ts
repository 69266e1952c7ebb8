import { type Contract, perContract } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import { valueTypes } from './disjoint.ts'
import { docText } from './docs.ts'
import { isAnnotation } from './keywords.ts'
import { isJson } from './media.ts'
import type { HeaderKind, HeadersModel } from './model.ts'
import { isInherited } from './object-schema.ts'
import { type PlainSchema, rulesKey } from './rules.ts'
import { readSchema } from './schema.ts'
import { toTypeName } from './definitions.ts'

/**
 * Headers without a typed value. OpenAPI ignores `Content-Type` here (3.1, "Response Object"), and several lines of
 * `Set-Cookie` can't be joined.
 */
const NO_VALUES: ReadonlySet<string> = new Set(['content-type', 'set-cookie'])

/** The headers of shared responses, by pointer. All errors that refer to the same response share their type. */
const shared = perContract(() => new Map<string, HeadersModel | undefined>())

/**
 * Reads the documented headers of an error. If the error refers to a shared response, the headers of that response are
 * read once, and their type is named after it.
 *
 * @param at - The place that may refer to the response.
 */
export function readErrorHeaders(
  contract: Contract,
  { at, ...response }: HeadersPlace & { readonly at: string },
): HeadersModel | undefined {
  if (response.pointer === at) return readHeaders(contract, response)
  const known = shared(contract)
  if (!known.has(response.pointer)) {
    const name = pointerSegments(response.pointer).at(-1) ?? ''
    const typeName = `${toTypeName(name)}Headers`
    known.set(response.pointer, readHeaders(contract, { ...response, typeName }))
  }
  return known.get(response.pointer)
}

interface HeadersPlace {
  readonly raw: JsonObject
  readonly pointer: string
  readonly typeName: string
}

/** Reads the documented headers of a response, which a client parses and checks. Undefined without any. */
export function readHeaders(
  contract: Contract,
  { raw, pointer, typeName }: HeadersPlace,
): HeadersModel | undefined {
  const kinds: Record<string, HeaderKind> = {}
  const properties: Record<string, PlainSchema> = {}
  const required: string[] = []
  for (const [name, entry] of Object.entries(asObject(raw['headers']))) {
    const { raw: header, pointer: at } = contract.follow(entry, childPointer(pointer, 'headers', name))
    if (!isObject(header) || NO_VALUES.has(name.toLowerCase()) || isInherited(name)) {
      noteString(contract, childPointer(pointer, 'headers', name), name)
      continue
    }
    const { kind, schema } = readHeader(contract, header, { pointer: at, name })
    const doc = docText(header)
    kinds[name] = kind
    properties[name] = doc === undefined ? schema : { ...schema, description: doc }
    if (header['required'] === true) required.push(name)
  }
  if (Object.keys(kinds).length === 0) return undefined
  const schema: PlainSchema = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required, [rulesKey]: { present: required } }),
  }
  return { type: contract.define(typeName, schema, childPointer(pointer, 'headers')), kinds }
}

function readHeader(
  contract: Contract,
  header: JsonObject,
  { pointer, name }: { readonly pointer: string; readonly name: string },
): { readonly kind: HeaderKind; readonly schema: PlainSchema } {
  const content = isObject(header['content']) ? Object.entries(header['content'])[0] : undefined
  if (content !== undefined) {
    const [type, media] = content
    const at = childPointer(pointer, 'content', type, 'schema')
    if (isJson(type) && isObject(media))
      return { kind: 'json', schema: readSchema(contract, media['schema'] ?? true, at) }
    noteString(contract, pointer, name)
    return { kind: 'string', schema: { type: 'string' } }
  }
  const raw = header['schema'] ?? true
  const kind = kindOf(contract, raw)
  if (kind !== undefined) return { kind, schema: readSchema(contract, raw, childPointer(pointer, 'schema')) }
  const isOpen = raw === true || (isObject(raw) && Object.keys(raw).every(isAnnotation))
  if (!isOpen) noteString(contract, pointer, name)
  return { kind: 'string', schema: { type: 'string' } }
}

function noteString(contract: Contract, pointer: string, name: string): void {
  contract.note(pointer, `\`${name}\` is a string in the \`headers\` of the whole response, and not checked`)
}

/** The kind of value to which the text of a header is parsed. Undefined if the types of the schema don't determine it. */
function kindOf(contract: Contract, raw: Json): HeaderKind | undefined {
  const target = contract.resolveObject(raw)
  const [only, second] = headerTypes(target)
  if (second !== undefined) return undefined
  if (only !== 'array') return isPlain(only) ? only : undefined
  const [item, another] = headerTypes(contract.resolveObject(target['items']))
  return another === undefined && isPlain(item) ? `${item}s` : undefined
}

function isPlain(type: string | undefined): type is 'string' | 'number' | 'boolean' {
  return type === 'string' || type === 'number' || type === 'boolean'
}

/** The types of the values of a header, which can't be null. */
function headerTypes(raw: JsonObject): readonly string[] {
  return [...new Set(valueTypes(raw))].filter((name) => name !== 'null')
}
