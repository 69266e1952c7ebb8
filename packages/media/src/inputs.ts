import type { BinaryContent } from '@concord/runtime'
import { requiredString } from '@concord/runtime/internal'

import { inputLimits } from './gen/facts.gen.ts'
import type { MediaKind } from './media-types.ts'

/**
 * An input of a generation: either a string (a URL, a data URI or another URI), or content. Content can be bytes, a
 * Blob, a stream, or a local file as `file(path)` (in Node). A string is never read as a path, so strings from your
 * users are safe to pass. `{ uri }` sends any string unchanged.
 *
 * @public
 */
export type MediaInput<Kind extends MediaKind = MediaKind> = PlainInput | MediaSource<Kind>

/** An input without a declared kind. @public */
export type PlainInput =
  | string
  | URL
  | LocalFile
  | BinaryContent
  | DescribedContent
  | { readonly uri: string }

/** Content with its name, type and size, if known. @public */
export interface DescribedContent {
  readonly content: BinaryContent | LocalFile
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
  readonly sizeBytes?: number | undefined
}

/**
 * The path of a local file. Only {@link file} makes this object, so parsed JSON never counts as a local file.
 *
 * @public
 */
export interface LocalFile {
  readonly path: string
  readonly [FILE]: true
}

/** An input with its kind, for undocumented fields. @public */
export interface MediaSource<Kind extends MediaKind = MediaKind> {
  readonly kind: Kind
  readonly input: PlainInput
  readonly [SOURCE]: true
}

const FILE = Symbol.for('concord.media.file')
const SOURCE = Symbol.for('concord.media.source')

/**
 * Makes an input from a local file; Node only.
 *
 * @example
 * ```ts
 * await media.imageToVideo({ model: 'gen4_turbo', promptImage: file('harbor.png'), duration: 5 })
 * ```
 * @param path - The path of the file.
 * @throws OptionsError if the path isn't a string.
 * @public
 */
export function file(path: string): LocalFile {
  return { path: requiredString(path, 'path', 'Pass the path of a file.'), [FILE]: true }
}

/** Marks an input in `fields` as an image, so that it is sent as a URL, a data URI or the URI of an upload. @public */
export function image(input: PlainInput): MediaSource<'image'> {
  return { kind: 'image', input, [SOURCE]: true }
}

/** Marks an input in `fields` as a video. See {@link image}. @public */
export function video(input: PlainInput): MediaSource<'video'> {
  return { kind: 'video', input, [SOURCE]: true }
}

/** Marks an input in `fields` as a recording. See {@link image}. @public */
export function audio(input: PlainInput): MediaSource<'audio'> {
  return { kind: 'audio', input, [SOURCE]: true }
}

export function isSource(value: unknown): value is MediaSource {
  return typeof value === 'object' && value !== null && (value as Partial<MediaSource>)[SOURCE] === true
}

export function isFile(value: unknown): value is LocalFile {
  return typeof value === 'object' && value !== null && (value as Partial<LocalFile>)[FILE] === true
}

/** Returns whether a value is content (a local file, bytes, a Blob or a stream) and not JSON. */
export function isContent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isFile(value) || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return true
  return value instanceof Blob || value instanceof ReadableStream || Symbol.asyncIterator in value
}

/** The file that an uploader receives. @public */
export interface UploadFile {
  readonly kind: MediaKind
  readonly contentType: string
  readonly filename: string | undefined
  /** The size, if known. */
  readonly sizeBytes: number | undefined
  /** The bytes. They can be read only once. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Uploads a file and resolves to the URI of the upload. The request contains this URI, not the file. @public */
export type Uploader = (file: UploadFile, options: { readonly signal?: AbortSignal }) => Promise<string>

export interface InputSettings {
  readonly uploader: Uploader | undefined
  readonly checked: boolean
}

/** How an input is sent. @public */
export type InputWay = 'url' | 'dataUri' | 'upload'

/**
 * The maximum size of an input in MB, by its kind and by how it is sent. The documentation doesn't say whether a MB
 * is 1,000,000 or 1,048,576 bytes.
 *
 * @see `specs/media/openapi.yaml#/info/description` "Inputs"
 * @public
 */
export const INPUT_LIMITS_MB: Readonly<Record<MediaKind, Readonly<Record<InputWay, number>>>> =
  /* @__PURE__ */ (() => inputLimits.maxMb)()

/** The maximum length of an input's URL, in characters. Data URIs may be longer. @public */
export const MAX_INPUT_URL_CHARACTERS: number = /* @__PURE__ */ (() => inputLimits.maxUrlCharacters)()
