/** Subtypes that differ from the extension of a file name. */
const SUBTYPES: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  jpe: 'jpeg',
  tif: 'tiff',
  htm: 'html',
  txt: 'plain',
  md: 'markdown',
  mp3: 'mpeg',
  m4a: 'mp4',
  mov: 'quicktime',
  oga: 'ogg',
}

/**
 * Returns the media type for a file name: one of those that the contract accepts, if it fits the extension. A general
 * table isn't needed, since the contract lists the accepted types.
 */
export function mediaTypeFor(filename: string | undefined, accepted: readonly string[]): string {
  const extension = /\.([a-z0-9]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase()
  if (extension !== undefined) {
    const subtype = SUBTYPES[extension] ?? extension
    const found = accepted.find((type) => type.slice(type.indexOf('/') + 1).replace(/^x-/, '') === subtype)
    if (found !== undefined) return found
  }
  return 'application/octet-stream'
}

/** Returns a file name for bytes without one: the part's name, with the extension that fits the media type. */
export function filenameFor(name: string, contentType: string | undefined): string {
  const subtype = /^[a-z]+\/(?:x-)?([a-z0-9]+)$/i.exec(contentType ?? '')?.[1]
  return subtype === undefined || subtype === 'octet' ? name : `${name}.${subtype}`
}
