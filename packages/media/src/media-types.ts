/** The kind of an input or an output. @public */
export type MediaKind = 'image' | 'video' | 'audio'

export const KIND_NOUNS = {
  image: 'an image',
  video: 'a video',
  audio: 'a recording',
} as const satisfies Record<MediaKind, string>

/** The usual media types by extension. The documentation lists the accepted types only for images. */
const TYPE_BY_EXTENSION: ReadonlyMap<string | undefined, string> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries({
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    webp: 'image/webp',
    gif: 'image/gif',
    mp4: 'video/mp4',
    m4v: 'video/mp4',
    mov: 'video/quicktime',
    webm: 'video/webm',
    mkv: 'video/x-matroska',
    ogv: 'video/ogg',
    mp3: 'audio/mpeg',
    m4a: 'audio/mp4',
    aac: 'audio/aac',
    flac: 'audio/flac',
    wav: 'audio/wav',
  }),
)

/** The extensions that differ from the subtype of their media type. */
const EXTENSION_BY_TYPE: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries({
    'image/jpeg': 'jpg',
    'video/quicktime': 'mov',
    'audio/mpeg': 'mp3',
    'audio/mp4': 'm4a',
  }),
)

/** The image types that the service accepts as inputs, according to the documentation. */
export const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp']

/** Returns a media type without its parameters, in lower case. */
export function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

export function typeByName(name: string | undefined): string | undefined {
  return TYPE_BY_EXTENSION.get(extensionOf(name ?? ''))
}

export function imageTypeByBytes(bytes: Uint8Array): string | undefined {
  const at = (start: number, text: string): boolean =>
    [...text].every((character, index) => bytes[start + index] === character.charCodeAt(0))
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg'
  if (bytes[0] === 0x89 && at(1, 'PNG')) return 'image/png'
  if (at(0, 'RIFF') && at(8, 'WEBP')) return 'image/webp'
  if (at(0, 'GIF8')) return 'image/gif'
  return undefined
}

/** Returns the extension for a download: from its media type, otherwise from its URL, otherwise `bin`. */
export function extensionFor(contentType: string | undefined, url: string): string {
  const type = essence(contentType ?? '')
  const known = EXTENSION_BY_TYPE.get(type)
  if (known !== undefined) return known
  const subtype = /^(?:image|video|audio)\/(?:x-)?([a-z0-9]+)$/.exec(type)?.[1]
  if (subtype !== undefined) return subtype
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  return extensionOf(path) ?? 'bin'
}

function extensionOf(name: string): string | undefined {
  return /\.[a-z0-9]{1,5}$/i.exec(name)?.[0].slice(1).toLowerCase()
}
