import { inputLimits } from './gen/facts.gen.ts'
import type { MediaKind } from './media-types.ts'

/** How an input travels. @public */
export type InputWay = 'url' | 'dataUri' | 'upload'

/**
 * The largest inputs in MB, by type and by way. Whether a MB is 1,000,000 or 1,048,576 bytes is not documented.
 *
 * @see `specs/media/openapi.yaml#/info/description` "Inputs"
 * @public
 */
export const INPUT_LIMITS_MB: Readonly<Record<MediaKind, Readonly<Record<InputWay, number>>>> =
  /* @__PURE__ */ (() => inputLimits.maxMb)()

/** The longest URL of an input, in characters. It doesn't apply to data URIs. @public */
export const MAX_INPUT_URL_CHARACTERS: number = /* @__PURE__ */ (() => inputLimits.maxUrlCharacters)()

const SMALL_MB = 1_000_000
const LARGE_MB = 1_048_576

/** More bytes than this are too many in every reading of the limit. */
export function mostBytes(kind: MediaKind, way: InputWay): number {
  return INPUT_LIMITS_MB[kind][way] * LARGE_MB
}

/** Up to this many bytes fit in every reading of the limit of a data URI, even if the limit counts encoded bytes. */
export function surelyFittingBytes(kind: MediaKind): number {
  return Math.floor((INPUT_LIMITS_MB[kind].dataUri * SMALL_MB * 3) / 4) - 2
}

/** Why the service would not fetch from a URL; undefined if it would. Nothing is requested from the host. */
export function urlProblem(url: string): string | undefined {
  const characters = [...url].length
  if (characters > MAX_INPUT_URL_CHARACTERS)
    return `is a URL of ${characters} characters, and at most ${MAX_INPUT_URL_CHARACTERS} are allowed`
  if (!URL.canParse(url)) return 'is not a URL that can be read'
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:')
    return 'is not an https: URL, and the service fetches no others; pass one, or the file itself'
  // The parser has already turned an address in any notation into the usual one.
  if (hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+\.?$/.test(hostname))
    return 'has an IP address as its host, and the service requires a domain name; pass such a URL, or the file itself'
  return undefined
}
