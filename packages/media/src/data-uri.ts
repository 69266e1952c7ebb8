import { INPUT_LIMITS_MB, mostBytes } from './input-rules.ts'
import { essence, IMAGE_TYPES, type MediaKind } from './media-types.ts'

/** Why a data URI cannot be an input; undefined if it can. The rules for URLs don't apply to it. */
export function checkDataUri(kind: MediaKind, uri: string): string | undefined {
  const comma = uri.indexOf(',')
  const head = comma < 0 ? '' : uri.slice('data:'.length, comma)
  if (comma < 0 || !/^[^;,]+\/[^;,]+(?:;[^,]*)?;base64$/i.test(head))
    return 'is a data URI of another form than data:<media_type>;base64,<data>'
  const type = essence(head)
  const problem = typeProblem(kind, type)
  if (problem !== undefined) return problem
  const sizeBytes = Math.floor(((uri.length - comma - 1) * 3) / 4)
  // Padding represents at most two bytes that don't exist.
  if (sizeBytes - 2 > mostBytes(kind, 'dataUri')) {
    const { dataUri, url, upload } = INPUT_LIMITS_MB[kind]
    return (
      `is a data URI of ${sizeBytes} bytes, and at most ${dataUri} MB are allowed: pass a URL (up to ${url} MB), ` +
      `or the bytes themselves to a client with an uploader (up to ${upload} MB)`
    )
  }
  return undefined
}

/**
 * Why an input of this media type is not accepted. The media types of images are documented; for videos and recordings only
 * codecs are, so only images are rejected there.
 */
export function typeProblem(kind: MediaKind, type: string): string | undefined {
  if (kind === 'image')
    return IMAGE_TYPES.includes(type) ? undefined : `is of the type '${type}'; images are JPEG, PNG or WebP`
  return type.startsWith('image/')
    ? `is of the type '${type}', and not ${kind === 'video' ? 'a video' : 'a recording'}`
    : undefined
}
