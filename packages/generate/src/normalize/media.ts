import type { Contract, ContractNode } from '../read/contract.ts'
import { type Json, asList, isList, isObject, typesOf } from '../read/json.ts'
import { noteUnknown } from './members.ts'

export interface Media {
  readonly contentType: string
  readonly node: ContractNode
}

/**
 * Reads the media types in `content`. The media type that clients support best comes first, and is the default. Media
 * ranges, such as `image/*`, come last.
 *
 * @param elsewhere - Returns whether to leave out a media type because it is read separately. Has no effect if it
 *   would leave out every media type.
 */
export function readMediaTypes(
  body: ContractNode,
  elsewhere: (contentType: string) => boolean = () => false,
): readonly Media[] {
  const content = body.at('content').members()
  const entries = content.filter(([, media]) => media.isObject)
  const left = entries.filter(([type]) => !elsewhere(type))
  const all = left.length > 0 ? left : entries
  return all
    .toSorted(([first], [second]) => rank(first) - rank(second))
    .map(([contentType, node]) => ({ contentType, node }))
}

/**
 * Adds JSON as the first media type if the contract doesn't list JSON, but lists a range that allows it. JSON isn't
 * added if the range's schema allows strings or bytes, because JSON is the best encoding only for other values.
 * In a request, the range stays, so callers can still send another media type. In a response, JSON replaces the
 * range: the client requests JSON (RFC 9110, section 12.5.1).
 */
export function withJsonOfRange(media: readonly Media[], way: 'sent' | 'received'): readonly Media[] {
  const range = media.find(
    ({ contentType, node }) =>
      /^(?:\*|application)\/\*(?:\+json)?\s*(?:;|$)/i.test(contentType) &&
      isNoString(node.contract, node.raw['schema']),
  )
  if (range === undefined || media.some(({ contentType }) => isJson(contentType))) return media
  range.node.note(
    `the media type \`${range.contentType}\` doesn't say how the body is encoded; ` +
      (way === 'sent' ? 'by default, the body is sent as JSON' : 'clients request JSON'),
  )
  const others = media.filter((each) => way === 'sent' || each !== range)
  return [{ ...range, contentType: 'application/json' }, ...others]
}

/** Whether a schema restricts its values to types other than strings. */
function isNoString(contract: Contract, raw: Json | undefined, seen: readonly Json[] = []): boolean {
  const schema = contract.resolveObject(raw)
  if (seen.includes(schema)) return false
  const { properties, allOf, anyOf, oneOf } = schema
  const types = typesOf(schema)
  if (types.length > 0) return !types.includes('string')
  const isInner = (one: Json) => isNoString(contract, one, [...seen, schema])
  return (
    isObject(properties) ||
    asList(allOf).some(isInner) ||
    [anyOf, oneOf].some((list) => isList(list) && list.length > 0 && list.every(isInner))
  )
}

/** Reads the media type that clients support best, and notes that the others are ignored. */
export function readMedia(body: ContractNode): Media | undefined {
  const [chosen, ...others] = readMediaTypes(body)
  if (!chosen) return undefined
  for (const { node } of others)
    node.note(`this media type is ignored: code is generated only for \`${chosen.contentType}\``)
  noteUnknown('mediaType', chosen.node)
  return chosen
}

function rank(contentType: string): number {
  if (isRange(contentType)) return 9
  const order = [isJson, isForm, (type: string) => type.startsWith('text/'), () => true]
  return order.findIndex((is) => is(contentType))
}

/** Whether a media type is a range, such as `image/*` or `application/*+json`. */
export function isRange(contentType: string): boolean {
  return contentType.includes('*')
}

export function isForm(contentType: string): boolean {
  return /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(contentType)
}

export function isJson(contentType: string): boolean {
  return /^[^;/]+\/(?:[^;]+\+)?json\s*(?:;|$)/i.test(contentType)
}

/** Whether a media type is text other than JSON. Clients pass such text on unchanged. */
export function isText(contentType: string): boolean {
  return (
    /^text\//i.test(contentType) ||
    /^[^;/]+\/(?:[^;]+\+)?(?:xml|yaml)\s*(?:;|$)/i.test(contentType) ||
    /^application\/(?:x-yaml|javascript|graphql)\b/i.test(contentType)
  )
}

/** Whether a media type is for bytes, which a string can't hold. */
export function isBinary(contentType: string): boolean {
  return !isJson(contentType) && !isText(contentType) && !isForm(contentType)
}
