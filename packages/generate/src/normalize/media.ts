import type { Contract } from '../read/contract.ts'
import { type JsonObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { noteUnknown } from './members.ts'

/** The one media type of a body. */
export interface Media {
  readonly contentType: string
  readonly raw: JsonObject
  readonly pointer: string
}

/**
 * Reads `content`, if any. Of several media types, the clients use the one that they can do most with.
 *
 * @param elsewhere - Picks media types that something else reads.
 */
export function readMedia(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  elsewhere: (contentType: string) => boolean = () => false,
): Media | undefined {
  const content = raw['content']
  if (!isObject(content)) return undefined
  const entries = Object.entries(content).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
  const left = entries.filter(([type]) => !elsewhere(type))
  const all = left.length > 0 ? left : entries
  const [chosen, ...others] = all.toSorted(([first], [second]) => rank(first) - rank(second))
  if (!chosen) return undefined
  for (const [type] of others)
    contract.note(
      childPointer(pointer, 'content', type),
      `a second media type for the same body is not expressed; \`${chosen[0]}\` is`,
    )
  noteUnknown(contract, 'mediaType', chosen[1], childPointer(pointer, 'content', chosen[0]))
  return { contentType: chosen[0], raw: chosen[1], pointer: childPointer(pointer, 'content', chosen[0]) }
}

function rank(contentType: string): number {
  const order = [isJson, isForm, (type: string) => type.startsWith('text/'), () => true]
  return order.findIndex((is) => is(contentType))
}

/** Whether a media type is a form. */
export function isForm(contentType: string): boolean {
  return /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(contentType)
}

/** Whether a media type is JSON. */
export function isJson(contentType: string): boolean {
  return /^[^;/]+\/(?:[^;]+\+)?json\s*(?:;|$)/i.test(contentType)
}

/** Whether a media type is text of another form than JSON, which clients hand over as it is. */
export function isText(contentType: string): boolean {
  return (
    /^text\//i.test(contentType) ||
    /^[^;/]+\/(?:[^;]+\+)?(?:xml|yaml)\s*(?:;|$)/i.test(contentType) ||
    /^application\/(?:x-yaml|javascript|graphql)\b/i.test(contentType)
  )
}
