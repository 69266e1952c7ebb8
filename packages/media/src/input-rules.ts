import { INPUT_LIMITS_MB, MAX_INPUT_URL_CHARACTERS, type InputWay } from './inputs.ts'
import { essence, IMAGE_TYPES, KIND_NOUNS, type MediaKind } from './media-types.ts'

const SMALL_MB = 1_000_000
const LARGE_MB = 1_048_576

/** Returns the documented limit in bytes. A MB counts as 1,048,576 bytes, the larger of its two possible meanings. */
export function maxBytes(kind: MediaKind, way: InputWay): number {
  return INPUT_LIMITS_MB[kind][way] * LARGE_MB
}

/**
 * Returns how many bytes fit into a data URI even if a MB is 1,000,000 bytes and the limit applies to the base64
 * string.
 */
export function surelyFittingBytes(kind: MediaKind): number {
  return Math.floor((INPUT_LIMITS_MB[kind].dataUri * SMALL_MB * 3) / 4) - 2
}

/** Returns which documented rule a URL breaks, or `undefined` if none. */
export function urlProblem(url: string): string | undefined {
  const characters = [...url].length
  if (characters > MAX_INPUT_URL_CHARACTERS)
    return `is a URL of ${characters} characters, and at most ${MAX_INPUT_URL_CHARACTERS} are allowed`
  if (!URL.canParse(url)) return 'is not a valid URL'
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:')
    return 'is not an https: URL, and the service fetches no other URLs; pass an https: URL, or the file itself'
  // The URL parser puts IPv6 addresses in brackets. It writes every IPv4 address as four numbers with dots, and
  // rejects all other hosts that have a number after the last dot.
  if (hostname.startsWith('[') || /\.\d+$/.test(hostname))
    return 'has an IP address as its host, and the service requires a domain name; pass a URL with a domain name, or the file itself'
  return undefined
}

/** Returns why a data URI can't be an input, or `undefined` if it can. */
export function checkDataUri(kind: MediaKind, uri: string): string | undefined {
  const head = /^data:[^;,/]+\/[^;,/]+(?:;[^,]*)?;base64,/i.exec(uri)?.[0]
  if (head === undefined) return 'is a data URI that does not have the form data:<media_type>;base64,<data>'
  const problem = typeProblem(kind, essence(head.slice('data:'.length)))
  if (problem !== undefined) return problem
  const sizeBytes = Math.floor(((uri.length - head.length) * 3) / 4)
  // Padding accounts for at most two bytes.
  if (sizeBytes - 2 > maxBytes(kind, 'dataUri')) {
    const { dataUri, url, upload } = INPUT_LIMITS_MB[kind]
    return (
      `is a data URI with ${sizeBytes} bytes of content, and at most ${dataUri} MB are allowed: pass a URL (up to ${url} MB), ` +
      `or create the client with an \`uploader\` and pass the bytes themselves (up to ${upload} MB)`
    )
  }
  return undefined
}

/**
 * Returns why an input of this media type is not accepted. For images, the media types are documented. For videos and
 * recordings, only the codecs are documented, so all types except image types are accepted.
 */
export function typeProblem(kind: MediaKind, type: string): string | undefined {
  if (kind === 'image')
    return IMAGE_TYPES.includes(type)
      ? undefined
      : `is of the type '${type}'; the service accepts only JPEG, PNG or WebP`
  return type.startsWith('image/') ? `is of the type '${type}', not ${KIND_NOUNS[kind]}` : undefined
}
