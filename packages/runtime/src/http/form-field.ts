import type { Issue } from '../core/errors.ts'
import { toJson } from '../core/json.ts'
import type { BodyDescriptor, PartDescriptor } from '../core/descriptors.ts'
import type { UploadBody } from './compose.ts'
import { toText } from './path.ts'
import { asBytes, isBlob, isReactNative, isStream } from './binary.ts'

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
    const isList = Array.isArray(value) && (descriptor?.kind !== 'json' || descriptor.isList === true)
    const items = isList ? (value as unknown[]) : [value]
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

/** A file of a device, as the pickers of React Native return it. Its name and media type are sent if they are known. @public */
export interface PickedFile {
  readonly uri: string
  readonly name?: string | null | undefined
  readonly type?: string | null | undefined
}

/** Returns whether a value is a file of a device: only React Native can read it, by its own FormData and `fetch`. */
export function isPicked(value: unknown): value is PickedFile {
  if (typeof value !== 'object' || value === null || !('uri' in value)) return false
  const { uri, name, type } = value as Record<string, unknown>
  const isText = (one: unknown): boolean => one === undefined || one === null || typeof one === 'string'
  return typeof uri === 'string' && isText(name) && isText(type)
}

/** The reason why a file of a device can't be sent here. */
export const NEEDS_REACT_NATIVE =
  'is a file of React Native ({ uri, name, type }), which only React Native can read; here, pass the path of a file, bytes, a Blob or a stream'

/** Returns whether a part is sent as a file, not as text or JSON. */
export function isFile(value: unknown, descriptor: PartDescriptor | undefined): boolean {
  if (descriptor !== undefined && descriptor.kind !== 'file') return false
  const isPath = descriptor !== undefined && descriptor.alternative === undefined
  if (isPath || (typeof value === 'string' && descriptor?.alternative === 'json')) return true
  // A string in an unknown field is a string, never a path.
  if (typeof value !== 'object' || value === null || value instanceof Date) return false
  const content: unknown = 'content' in value ? value.content : value
  return (
    isBlob(content) ||
    isStream(content) ||
    asBytes(content) !== undefined ||
    (typeof content === 'string' && descriptor !== undefined) ||
    (typeof content === 'object' && content !== null && Symbol.asyncIterator in content)
  )
}

/** Returns a form with files of a device, which the host writes itself. */
export function pickedForm(fields: readonly Field[]): UploadBody | readonly Issue[] {
  const entries = fields.map(toEntry)
  const issues = entries.filter((entry) => 'reason' in entry)
  if (issues.length > 0) return issues
  return pickedBody(() => {
    const form = new FormData()
    for (const entry of entries) if ('name' in entry) form.append(entry.name, entry.value as string)
    return form
  })
}

/** Returns a body that is one file of a device. */
export function pickedContent({ uri }: PickedFile): UploadBody {
  return pickedBody(async () => (await fetch(uri)).blob())
}

/** Returns the name of a file of a device: its own, or the end of its address. */
function nameOf({ uri, name }: PickedFile): string {
  return name ?? uri.split(/[/\\]/).at(-1)?.split('?')[0] ?? 'file'
}

function toEntry({ name, value, descriptor, place }: Field): { name: string; value: unknown } | Issue {
  if (isPicked(value)) {
    if (!isReactNative()) return { path: place, reason: NEEDS_REACT_NATIVE }
    const filename = nameOf(value)
    const type = value.type ?? mediaTypeFor(filename, descriptor?.contentTypes ?? [])
    return { name, value: { uri: value.uri, name: filename, type } }
  }
  if (descriptor !== undefined && isFile(value, descriptor))
    return {
      path: place,
      reason: 'can be sent beside a file of React Native only as { uri, name, type } too',
    }
  const isJson = descriptor?.kind === 'json' || (typeof value === 'object' && !(value instanceof Date))
  const text = isJson ? toJson(value) : (toText(value) ?? '')
  if (typeof text !== 'string') return { path: place, ...text }
  // React Native's FormData takes the type of a text like this.
  const isTyped = descriptor?.kind === 'json'
  return { name, value: isTyped ? { string: text, type: 'application/json' } : text }
}

/** Returns a body that the host reads itself, as often as it has to. */
function pickedBody(native: () => FormData | Promise<Blob>): UploadBody {
  return {
    sizeBytes: undefined,
    failure: undefined,
    onTaken: undefined,
    replayable: () => true,
    release: () => undefined,
    native,
    open: () => {
      throw new TypeError('A file of React Native can only be sent by `fetchTransport()`.')
    },
  }
}
