/** A base64 data URI, taken apart. */
export interface DataUri {
  mediaType: string
  /** How many characters its data has. */
  encodedSize: number
  decodedSize: number
  /** The first bytes. */
  head: Uint8Array
}

/** Reads `data:<media_type>;base64,<data>`; answers what is wrong with it where it is not one. */
export function readDataUri(value: string): DataUri | { problem: string } {
  const comma = value.indexOf(',')
  const start = comma < 0 ? value : value.slice(0, comma)
  const parts = start.slice('data:'.length).split(';')
  const mediaType = (parts[0] ?? '').trim().toLowerCase()
  if (comma < 0 || parts.at(-1)?.trim().toLowerCase() !== 'base64')
    return { problem: 'must be of the form data:<media_type>;base64,<data>' }
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) return { problem: 'must name its media type' }
  const data = value.slice(comma + 1)
  if (data === '' || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return { problem: 'must hold base64 data' }
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return {
    mediaType,
    encodedSize: data.length,
    decodedSize: (data.length / 4) * 3 - padding,
    head: Buffer.from(data.slice(0, 64), 'base64'),
  }
}
