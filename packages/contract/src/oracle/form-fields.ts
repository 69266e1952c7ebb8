import {
  arrayOf,
  escapeToken,
  type Media,
  objectOf,
  type SchemaAt,
  type SchemaOracle,
} from '@concord/spec-model'

import { isJson, jsonOrText } from '../http/exchange.ts'
import { alternativesOf, decode, isListType, type QueryPair, queryPairs, readings } from './parameters.ts'

export const URL_ENCODED = 'application/x-www-form-urlencoded'

export function formPairs(media: Media, body: unknown): readonly QueryPair[] {
  return Object.entries(objectOf(body)).flatMap(([name, value]) => {
    if (value === undefined) return []
    if (isJsonField(media, name)) return [{ name, pieces: [JSON.stringify(value)], delimiter: '' }]
    return queryPairs({ name, style: 'form', explode: true, ...media.styles[name] }, value)
  })
}

/** An array becomes one part per item, unless it is sent as JSON. */
export function formParts(media: Media, body: unknown): readonly (readonly [name: string, item: unknown])[] {
  return Object.entries(objectOf(body)).flatMap(([name, given]) => {
    const isList = Array.isArray(given) && !(media.partTypes[name] ?? []).some(isJson)
    return (isList ? given : [given]).map((item: unknown) => [name, item] as const)
  })
}

export function writeFormFields(media: Media, body: unknown): string {
  return formPairs(media, body)
    .map(({ name, pieces, delimiter }) => {
      const value = pieces.map(encodeURIComponent).join(encodeURIComponent(delimiter))
      return `${encodeURIComponent(name)}=${value}`
    })
    .join('&')
    .replaceAll('%20', '+')
}

/** Returns the fields of a form, with decoded names and raw values. */
export function sentFields(text: string): readonly (readonly [name: string, raw: string])[] {
  return text === ''
    ? []
    : text.split('&').map((pair) => {
        const [name = '', ...value] = pair.split('=')
        return [decode(name), value.join('=')] as const
      })
}

/** Converts a form to the value that its schema describes. Returns undefined if a field is ambiguous. */
export function readFormFields(media: Media, oracle: SchemaOracle, text: string): object | undefined {
  const properties = objectOf(objectOf(oracle.deref(media.schema?.schema))['properties'])
  const fields = new Map<string, string[]>()
  for (const [name, raw] of sentFields(text)) {
    const { style, explode } = media.styles[name] ?? { style: 'form', explode: true }
    // A field that isn't in `properties` is ambiguous, because it could be a member of an object whose members were
    // sent as separate fields. A list is ambiguous, too, if its delimiter isn't a comma.
    if (!Object.hasOwn(properties, name) || (!explode && style !== 'form')) return undefined
    fields.set(name, [...(fields.get(name) ?? []), ...(explode ? [raw] : raw.split(','))])
  }
  const members = [...fields].map(([name, raws]) => {
    const texts = raws.map(decode)
    if (isJsonField(media, name)) return [name, jsonOrText(texts[0] ?? '')] as const
    const [asText, asNumbers, asBooleans] = readings(oracle, properties[name], texts, true)
    const { type, items } = objectOf(oracle.deref(properties[name]))
    if (!isListType(type)) return [name, type === 'string' ? asText : (asNumbers ?? asText)] as const
    const isBoolean = objectOf(oracle.deref(items))['type'] === 'boolean'
    return [name, isBoolean ? asBooleans : asNumbers] as const
  })
  // A form has no field for an empty list.
  const value = { ...emptyLists(oracle, media), ...Object.fromEntries(members) }
  const sent = new Map([...fields].map(([name, raws]) => [name, raws.map(decode)]))
  return readByChoice(oracle, media, value, sent)
}

/**
 * Corrects the values of a form's fields. The schema of a field can be an `anyOf`, which doesn't show how to read the
 * field. If the schema rejects a value, this function tries other ways to read the field.
 */
export function readByChoice(
  oracle: SchemaOracle,
  { schema }: Media,
  value: { readonly [name: string]: unknown },
  sent: ReadonlyMap<string, readonly unknown[]>,
): { readonly [name: string]: unknown } {
  if (!schema) return value
  const members = Object.entries(value).map(([name, given]) => {
    const schemas = memberSchemas(oracle, schema, name)
    const isAccepted = (one: unknown) => schemas.some((each) => oracle.accepts(each, one))
    const texts = sent.get(name) ?? []
    if (schemas.length === 0 || texts.length === 0 || isAccepted(given)) return [name, given] as const
    const read = texts.map((text) => (typeof text === 'string' ? jsonOrText(text) : text))
    const possible = [...(texts.length === 1 ? [texts[0], read[0]] : []), texts, read, read.flat()]
    return [name, possible.find(isAccepted) ?? given] as const
  })
  return Object.fromEntries(members)
}

/** Returns all schemas of a property, including those in `allOf`, `anyOf` and `oneOf`. */
function memberSchemas(
  oracle: SchemaOracle,
  { pointer, schema }: SchemaAt,
  name: string,
  seen = new Set<unknown>(),
): SchemaAt[] {
  // A schema can contain itself.
  if (seen.has(schema)) return []
  seen.add(schema)
  const object = objectOf(oracle.deref(schema))
  const properties = objectOf(object['properties'])
  const own = Object.hasOwn(properties, name)
    ? [{ pointer: `${pointer}/properties/${escapeToken(name)}`, schema: properties[name] }]
    : []
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    arrayOf(object[key]).map((branch, at) => ({ pointer: `${pointer}/${key}/${at}`, schema: branch })),
  )
  return [...own, ...branches.flatMap((one) => memberSchemas(oracle, one, name, seen))]
}

/** Returns an empty list for each required field that can be a list. */
export function emptyLists(oracle: SchemaOracle, { schema }: Media): { [name: string]: unknown } {
  const { required, properties } = objectOf(oracle.deref(schema?.schema))
  const isList = (one: unknown): boolean => isListType(objectOf(oracle.deref(one))['type'])
  const lists = arrayOf(required)
    .map(String)
    .filter((name) => {
      const property = objectOf(properties)[name]
      return isList(property) || alternativesOf(oracle, property).some(isList)
    })
  return Object.fromEntries(lists.map((name) => [name, []]))
}

function isJsonField(media: Media, name: string): boolean {
  return media.styles[name] === undefined && (media.partTypes[name] ?? []).some(isJson)
}
