import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, combinedIn, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
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

/** Reads the request body of an operation, once for each of its media types. Returns an empty list if it has no body. */
export function readRequestBody(
  contract: Contract,
  operation: JsonObject,
  pointer: string,
): readonly InputPart<BodyModel>[] {
  if (operation['requestBody'] === undefined) return []
  const { raw, pointer: place } = contract.follow(
    operation['requestBody'],
    childPointer(pointer, 'requestBody'),
  )
  if (!isObject(raw)) return []
  contract.visit(place)
  noteUnknown(contract, 'requestBody', raw, place)
  const all = withJsonOfRange(contract, readMediaTypes(contract, raw, place), 'sent')
  if (all.length === 0) contract.widen(place, 'a request body needs a media type')
  return all.map((media) => readBody(contract, raw, media))
}

function readBody(contract: Contract, raw: JsonObject, media: Media): InputPart<BodyModel> {
  noteUnknown(contract, 'mediaType', media.raw, media.pointer)
  // If the schema of a form is a string, the caller writes the whole form.
  const isWritten = isString(contract.resolveObject(media.raw['schema']))
  const kind = kindOf(media.contentType, isWritten)
  const schema = readBodySchema(contract, media, kind)
  const doc = docText(raw)
  return {
    schema: doc === undefined ? schema : { ...schema, description: doc },
    open: kind !== 'binary' && acceptsAbsence(contract, media.raw['schema']),
    secrets: secretNames(contract, media.raw['schema']),
    model: {
      kind,
      contentType: media.contentType,
      required: raw['required'] === true,
      ...(kind === 'multipart' ? { parts: readParts(contract, media) } : {}),
      ...(kind === 'form' ? { parts: readFields(contract, media) } : {}),
      ...(doc === undefined ? {} : { doc }),
    },
  }
}

function readBodySchema(contract: Contract, media: Media, kind: BodyModel['kind']): PlainSchema {
  const raw = media.raw['schema']
  const described = contract.resolveObject(raw)
  const at = childPointer(media.pointer, 'schema')
  if (kind === 'binary') {
    if (raw !== undefined && !isBytes(described) && !isString(described))
      contract.widen(
        at,
        `a body of the type \`${media.contentType}\` is sent as the caller wrote it, and not checked`,
      )
    return { type: 'string', [rulesKey]: { binary: true } }
  }
  if (kind === 'text' && !isString(described)) {
    if (raw !== undefined)
      contract.widen(
        at,
        `a body of the type \`${media.contentType}\` is sent as the caller wrote it, and not checked`,
      )
    return { type: 'string' }
  }
  if (raw === undefined) {
    contract.note(media.pointer, 'without a schema, anything is accepted')
    return {}
  }
  return readSchema(contract, raw, at, kind === 'multipart' ? 'form' : 'value')
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

function readParts(contract: Contract, media: Media): NonNullable<BodyModel['parts']> {
  const properties = propertiesOf(contract, media.raw['schema'] ?? true)
  const encoding = asObject(media.raw['encoding'])
  for (const [name, hints] of Object.entries(encoding)) {
    const at = childPointer(media.pointer, 'encoding', name)
    if (isObject(hints)) noteUnknown(contract, 'encoding', hints, at)
    if (properties[name] !== undefined) continue
    contract.note(childPointer(media.pointer, 'encoding', name), 'the form has no part of this name')
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      readPart(contract, media, { name, property, encoding: encoding[name] }),
    ]),
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

/** Reads the fields of a URL-encoded form that aren't written in the default way. */
function readFields(contract: Contract, media: Media): NonNullable<BodyModel['parts']> {
  const encoding = asObject(media.raw['encoding'])
  const parts: Record<string, NonNullable<BodyModel['parts']>[string]> = {}
  for (const [name, hints] of Object.entries(encoding)) {
    const own = propertiesOf(contract, media.raw['schema'] ?? true)[name]
    if (!isObject(hints)) continue
    const isContent = typeof hints['contentType'] === 'string' && isJson(hints['contentType'])
    const write = writerOf(contract, hints, { place: 'query', source: own, isContent })
    if (write !== undefined) parts[name] = { kind: 'text', write }
  }
  return parts
}

function readPart(
  contract: Contract,
  media: Media,
  {
    name,
    property,
    encoding,
  }: { readonly name: string; readonly property: Json; readonly encoding: Json | undefined },
): NonNullable<BodyModel['parts']>[string] {
  const hints = asObject(encoding)
  for (const key of Object.keys(hints)) {
    if (key === 'contentType' || key.startsWith('x-')) continue
    contract.widen(childPointer(media.pointer, 'encoding', name, key), `clients ignore \`${key}\` of a part`)
  }
  const contentTypes = typeof hints['contentType'] === 'string' ? hints['contentType'].split(/\s*,\s*/) : []
  const whole = contract.resolveObject(property)
  const isArray = whole['type'] === 'array' && !contentTypes.some(isJson)
  // A list becomes one part for each item.
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

/** Whether a part is a file: its schema, or a branch of it, is bytes, or its media type is for bytes. */
function isFile(contract: Contract, schema: JsonObject, contentTypes: readonly string[]): boolean {
  if (isBytes(schema)) return true
  if (alternativesOf(contract, schema).some(isBytes)) return true
  return Object.keys(schema).every(isAnnotation) && contentTypes.length > 0 && contentTypes.every(isBinary)
}
