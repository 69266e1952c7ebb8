import { type Contract, type ContractNode, perContract } from '../read/contract.ts'
import { type Json, type JsonObject, isObject } from '../read/json.ts'
import { pointerSegments } from '../read/pointer.ts'
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
 * Headers without a typed value. OpenAPI ignores `Content-Type` in a response's `headers` (3.1, "Response Object").
 * Several lines of `Set-Cookie` can't be joined into one value.
 */
const NO_VALUES: ReadonlySet<string> = new Set(['content-type', 'set-cookie'])

/** The headers of shared responses, by pointer. */
const shared = perContract(() => new Map<string, HeadersModel | undefined>())

/**
 * Reads the documented headers of an error. If the error refers to a shared response, the headers of that response are
 * read once, and their type is named after that response.
 *
 * @param at - The pointer to the operation's entry for this error: a response, or a reference to a shared response.
 */
export function readErrorHeaders(
  response: ContractNode,
  typeName: string,
  at: string,
): HeadersModel | undefined {
  const { contract, pointer } = response
  if (pointer === at) return readHeaders(response, typeName)
  const known = shared(contract)
  if (!known.has(pointer)) {
    const name = pointerSegments(pointer).at(-1) ?? ''
    known.set(pointer, readHeaders(response, `${toTypeName(name)}Headers`))
  }
  return known.get(pointer)
}

/** Reads the documented headers of a response, so that clients can parse and check them. */
export function readHeaders(response: ContractNode, typeName: string): HeadersModel | undefined {
  const kinds: Record<string, HeaderKind> = {}
  const properties: Record<string, PlainSchema> = {}
  const required: string[] = []
  for (const [name, entry] of response.at('headers').members()) {
    const header = entry.follow()
    if (!header.isObject || NO_VALUES.has(name.toLowerCase()) || isInherited(name)) {
      noteString(entry, name)
      continue
    }
    const { kind, schema } = readHeader(header, name)
    const doc = docText(header.raw)
    kinds[name] = kind
    properties[name] = doc === undefined ? schema : { ...schema, description: doc }
    if (header.raw['required'] === true) required.push(name)
  }
  if (Object.keys(kinds).length === 0) return undefined
  const schema: PlainSchema = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required, [rulesKey]: { present: required } }),
  }
  return { type: response.at('headers').define(typeName, schema), kinds }
}

function readHeader(
  header: ContractNode,
  name: string,
): { readonly kind: HeaderKind; readonly schema: PlainSchema } {
  const [content] = header.at('content').members()
  if (content !== undefined) {
    const [type, media] = content
    if (isJson(type) && media.isObject) {
      const schema = media.at('schema')
      return { kind: 'json', schema: readSchema(schema.with(schema.value ?? true)) }
    }
    noteString(header, name)
    return { kind: 'string', schema: { type: 'string' } }
  }
  const schema = header.at('schema')
  const raw = schema.value ?? true
  const kind = kindOf(header.contract, raw)
  if (kind !== undefined) return { kind, schema: readSchema(schema) }
  const isOpen = raw === true || (isObject(raw) && Object.keys(raw).every(isAnnotation))
  if (!isOpen) noteString(header, name)
  return { kind: 'string', schema: { type: 'string' } }
}

function noteString(header: ContractNode, name: string): void {
  header.note(`clients don't parse or check \`${name}\`; in the response's \`headers\`, it is a string`)
}

/** The kind of value that a header's string is parsed into. Undefined if the schema's types don't determine it. */
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

/** A header can't be null. */
function headerTypes(raw: JsonObject): readonly string[] {
  return [...new Set(valueTypes(raw))].filter((name) => name !== 'null')
}
