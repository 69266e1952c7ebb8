import type { Contract, ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, combinedIn, isObject } from '../read/json.ts'
import { docText } from './docs.ts'
import type { InputPart } from './input.ts'
import { isAnnotation } from './keywords.ts'
import { type Media, isBinary, isForm, isJson, isText, readMediaTypes, withJsonOfRange } from './media.ts'
import { noteUnknown } from './members.ts'
import type { BodyModel } from './model.ts'
import { writerOf } from './parameters.ts'
import { acceptsAbsence } from './object-schema.ts'
import { type PlainSchema, rulesKey } from './rules.ts'
import { isBytes, readSchema } from './schema.ts'
import { secretNames } from './walk.ts'

/** Reads the request body of an operation, once for each of its media types. */
export function readRequestBody(operation: ContractNode): readonly InputPart<BodyModel>[] {
  if (operation.raw['requestBody'] === undefined) return []
  const body = operation.inRequest().at('requestBody').follow()
  if (!body.isObject) return []
  body.visit()
  noteUnknown('requestBody', body)
  const all = withJsonOfRange(readMediaTypes(body), 'sent')
  if (all.length === 0) body.widen('a request body needs a media type')
  return all.map((media) => readBody(body.raw, media))
}

function readBody(raw: JsonObject, { contentType, node }: Media): InputPart<BodyModel> {
  const { contract } = node
  noteUnknown('mediaType', node)
  const schema = node.at('schema')
  // If the schema of a form is a string, the caller passes the whole form already encoded.
  const kind = kindOf(contentType, isString(schema.resolved()))
  const plain = readBodySchema(node, kind, contentType)
  const doc = docText(raw)
  return {
    schema: doc === undefined ? plain : { ...plain, description: doc },
    open: kind !== 'binary' && acceptsAbsence(contract, schema.value),
    secrets: secretNames(contract, schema.value),
    model: {
      kind,
      contentType,
      required: raw['required'] === true,
      ...(kind === 'multipart' ? { parts: readParts(node) } : {}),
      ...(kind === 'form' ? { parts: readFields(node) } : {}),
      ...(doc === undefined ? {} : { doc }),
    },
  }
}

function readBodySchema(media: ContractNode, kind: BodyModel['kind'], contentType: string): PlainSchema {
  const schema = media.at('schema')
  const described = schema.resolved()
  const isPlain = isString(described) || (kind === 'binary' && isBytes(described))
  if ((kind === 'binary' || kind === 'text') && !isPlain && schema.value !== undefined)
    schema.widen(`a body of the type \`${contentType}\` is sent as the caller passes it, and not checked`)
  if (kind === 'binary') return { type: 'string', [rulesKey]: { binary: true } }
  if (kind === 'text' && !isPlain) return { type: 'string' }
  if (schema.value !== undefined) return readSchema(schema, kind === 'multipart' ? 'form' : 'value')
  media.note('without a schema, anything is accepted')
  return {}
}

function isString({ type }: JsonObject): boolean {
  return type === 'string'
}

function kindOf(contentType: string, isWritten: boolean): BodyModel['kind'] {
  if (isJson(contentType)) return 'json'
  if (/^multipart\/form-data\b/i.test(contentType)) return isWritten ? 'binary' : 'multipart'
  if (isForm(contentType)) return isWritten ? 'text' : 'form'
  return isText(contentType) ? 'text' : 'binary'
}

type Parts = NonNullable<BodyModel['parts']>

function readParts(media: ContractNode): Parts {
  const properties = propertiesOf(media.contract, media.raw['schema'] ?? true)
  const encoding = media.at('encoding')
  for (const [name, hints] of encoding.members()) {
    if (hints.isObject) noteUnknown('encoding', hints)
    if (properties[name] === undefined) hints.note('the form has no part of this name')
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, readPart(property, encoding.at(name))]),
  )
}

/** The properties of a form, including those of schemas that it combines. */
function propertiesOf(contract: Contract, raw: Json, seen = new Set<Json>()): Record<string, Json> {
  const form = contract.resolveObject(raw)
  if (seen.has(form)) return {}
  seen.add(form)
  const combined = combinedIn(form).map((branch) => propertiesOf(contract, branch, seen))
  return Object.assign({}, ...combined, asObject(form['properties']))
}

/** Reads a URL-encoded form's fields that aren't written in the default way. */
function readFields(media: ContractNode): Parts {
  const properties = propertiesOf(media.contract, media.raw['schema'] ?? true)
  const parts: Record<string, Parts[string]> = {}
  for (const [name, hints] of media.at('encoding').members()) {
    if (!hints.isObject) continue
    const { contentType } = hints.raw
    const isContent = typeof contentType === 'string' && isJson(contentType)
    const write = writerOf(hints, 'query', properties[name], isContent)
    if (write !== undefined) parts[name] = { kind: 'text', write }
  }
  return parts
}

function readPart(property: Json, encoding: ContractNode): Parts[string] {
  const { contract, raw: hints } = encoding
  for (const key of Object.keys(hints)) {
    if (key === 'contentType' || key.startsWith('x-')) continue
    encoding.widen(`clients ignore \`${key}\` of a part`, key)
  }
  const contentTypes = typeof hints['contentType'] === 'string' ? hints['contentType'].split(/\s*,\s*/) : []
  const whole = contract.resolveObject(property)
  const isArray = whole['type'] === 'array' && !contentTypes.some(isJson)
  // An array becomes one part for each item.
  const schema = isArray ? contract.resolveObject(whole['items']) : whole
  if (isFile(contract, schema, contentTypes)) {
    const alternative = alternativeOf(contract, schema)
    return {
      kind: 'file',
      ...(alternative !== undefined && { alternative }),
      ...(contentTypes.length > 0 ? { contentTypes } : {}),
    }
  }
  const { type } = schema
  if (contentTypes.some(isJson)) return { kind: 'json' }
  if (type !== 'object' && type !== 'array') return { kind: 'text' }
  return { kind: 'json', ...(isArray && { isList: true as const }) }
}

/** The kind of value that a part may have instead of a file: `text` if strings are allowed, or else `json`. */
function alternativeOf(contract: Contract, schema: JsonObject): 'json' | 'text' | undefined {
  const others = alternativesOf(contract, schema).filter((each) => {
    if (!isObject(each)) return each !== false
    const isFiles = each['type'] === 'array' && isBytes(contract.resolve(each['items']))
    return !isBytes(each) && !isFiles && each['type'] !== 'null'
  })
  if (others.length === 0) return undefined
  const isNeverString = (each: Json): boolean =>
    isObject(each) && each['type'] !== undefined && ![each['type']].flat().includes('string')
  return others.every(isNeverString) ? 'json' : 'text'
}

function alternativesOf(contract: Contract, schema: JsonObject): readonly Json[] {
  return combinedIn(schema, ['anyOf', 'oneOf']).map((each) => contract.resolve(each))
}

/** Whether a part is a file. If its schema doesn't restrict values, the media types decide. */
function isFile(contract: Contract, schema: JsonObject, contentTypes: readonly string[]): boolean {
  if (isBytes(schema)) return true
  if (alternativesOf(contract, schema).some(isBytes)) return true
  return Object.keys(schema).every(isAnnotation) && contentTypes.length > 0 && contentTypes.every(isBinary)
}
