import { INPUT_LIMITS_MB, mostBytes } from './input-rules.ts'
import { essence, IMAGE_TYPES, type MediaKind } from './media-types.ts'

/** Why a data URI cannot be an input; undefined when nothing speaks against it. The rules for URLs do not hold for it. */
export function checkDataUri(kind: MediaKind, uri: string): string | undefined {
  const comma = uri.indexOf(',')
  const head = comma < 0 ? '' : uri.slice('data:'.length, comma)
  if (comma < 0 || !/^[^;,]+\/[^;,]+(?:;[^,]*)?;base64$/i.test(head))
    return 'is a data URI of another form than data:<media_type>;base64,<data>'
  const type = essence(head)
  const problem = kind === 'image' ? imageTypeProblem(type) : undefined
  if (problem !== undefined) return problem
  const sizeBytes = Math.floor(((uri.length - comma - 1) * 3) / 4)
  // Padding stands for at most two bytes that are not there.
  if (sizeBytes - 2 > mostBytes(kind, 'dataUri'))
    return `is a data URI of ${sizeBytes} bytes; at most ${INPUT_LIMITS_MB[kind].dataUri} MB are allowed`
  return undefined
}

/** Why an image of this media type is not accepted. */
export function imageTypeProblem(type: string): string | undefined {
  if (IMAGE_TYPES.includes(type)) return undefined
  return `is of the type '${type}'; images are JPEG, PNG or WebP`
}
