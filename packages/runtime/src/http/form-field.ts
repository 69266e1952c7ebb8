import type { BodyDescriptor, PartDescriptor } from '../core/operation.ts'

/** A field of a form as the caller passed it. */
export interface Field {
  readonly name: string
  readonly value: unknown
  /** Absent for fields that the contract doesn't define. */
  readonly descriptor: PartDescriptor | undefined
  /** JSON pointer to the field in the input. */
  readonly place: string
}

/** Returns the fields of a form; an array becomes one field per item. */
export function toFields(values: object, place: string, body: BodyDescriptor | undefined): Field[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const descriptor = body?.parts?.[name]
    const items = Array.isArray(value) && descriptor?.kind !== 'json' ? (value as unknown[]) : [value]
    return items
      .filter((item) => item !== undefined && item !== null)
      .map((item) => ({ name, value: item, descriptor, place: `${place}/${name}` }))
  })
}

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
