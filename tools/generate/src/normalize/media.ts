import type { Contract } from '../read/contract.ts'
import { type JsonObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'

/** The one media type of a body. */
export interface Media {
  readonly contentType: string
  readonly raw: JsonObject
  readonly pointer: string
}

/** Reads `content`, if any. */
export function readMedia(contract: Contract, raw: JsonObject, pointer: string): Media | undefined {
  const content = raw['content']
  if (!isObject(content)) return undefined
  const [first, second] = Object.entries(content)
  if (!first || !isObject(first[1])) return undefined
  if (second) {
    contract.refuse(
      childPointer(pointer, 'content', second[0]),
      'a second media type for the same body is not expressed',
    )
  }
  return { contentType: first[0], raw: first[1], pointer: childPointer(pointer, 'content', first[0]) }
}

/** Whether a media type is JSON. */
export function isJson(contentType: string): boolean {
  return /^application\/(?:[^;]+\+)?json\b/.test(contentType)
}

/** Whether a media type is opaque bytes. */
export function isBinary(contentType: string): boolean {
  return /^(?:application\/octet-stream|audio\/.+|image\/.+|video\/.+)$/.test(contentType)
}
