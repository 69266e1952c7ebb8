import { load, requiredString, type BinaryContent } from '@concord/runtime'

import { refused } from './errors.ts'
import { checkDataUri } from './data-uri.ts'
import { urlProblem } from './input-rules.ts'
import type { MediaKind } from './media-types.ts'

/**
 * An input of a generation: a URL, a data URI or another URI as a string; a local file as `file(path)` (in Node), bytes, a
 * Blob or a stream. A string is never read as a path, so that strings of others can be passed on safely. `{ uri }` passes
 * any string on as it is.
 *
 * @public
 */
export type MediaInput<Kind extends MediaKind = MediaKind> = PlainInput | MediaSource<Kind>

/** An input that does not say what it is. @public */
export type PlainInput =
  | string
  | URL
  | LocalFile
  | BinaryContent
  | DescribedContent
  | { readonly uri: string }

/** Content with what is known of it. @public */
export interface DescribedContent {
  readonly content: BinaryContent | LocalFile
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
  readonly sizeBytes?: number | undefined
}

/** A file of this machine, by its path. Only {@link file} makes one: JSON can't. @public */
export interface LocalFile {
  readonly path: string
  readonly [FILE]: true
}

/** An input that says what it is, for fields whose names are not documented. @public */
export interface MediaSource<Kind extends MediaKind = MediaKind> {
  readonly kind: Kind
  readonly input: PlainInput
  readonly [SOURCE]: true
}

const FILE = Symbol.for('concord.media.file')
const SOURCE = Symbol.for('concord.media.source')

/**
 * A local file as an input, by its path; Node only.
 *
 * @example
 * ```ts
 * await media.imageToVideo({ model: 'gen4_turbo', promptImage: file('harbour.png'), duration: 5 })
 * ```
 * @throws OptionsError when the path isn't a string.
 * @public
 */
export function file(path: string): LocalFile {
  return { path: requiredString(path, 'path', 'Pass the path of a file.'), [FILE]: true }
}

/** An image for one of the `fields`: it becomes a URL or a data URI there. @public */
export function image(input: PlainInput): MediaSource<'image'> {
  return { kind: 'image', input, [SOURCE]: true }
}

/** A video for one of the `fields`. See {@link image}. @public */
export function video(input: PlainInput): MediaSource<'video'> {
  return { kind: 'video', input, [SOURCE]: true }
}

/** A recording for one of the `fields`. See {@link image}. @public */
export function audio(input: PlainInput): MediaSource<'audio'> {
  return { kind: 'audio', input, [SOURCE]: true }
}

/** Whether a value was made by {@link image}, {@link video} or {@link audio}. */
export function isSource(value: unknown): value is MediaSource {
  return typeof value === 'object' && value !== null && (value as Partial<MediaSource>)[SOURCE] === true
}

/** Whether a value was made by {@link file}. */
export function isFile(value: unknown): value is LocalFile {
  return typeof value === 'object' && value !== null && (value as Partial<LocalFile>)[FILE] === true
}

/** What an uploader is given. @public */
export interface UploadFile {
  readonly kind: MediaKind
  readonly contentType: string
  readonly filename: string | undefined
  /** If it is known. */
  readonly sizeBytes: number | undefined
  /** The bytes; they can be read once. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Brings a file to the service and resolves to the URI of the upload. @public */
export type Uploader = (file: UploadFile, options: { readonly signal?: AbortSignal }) => Promise<string>

/** How inputs become what a request carries. */
export interface InputSettings {
  readonly uploader: Uploader | undefined
  readonly checked: boolean
}

/** Where an input is in a request. */
export interface InputPlace {
  readonly operation: string
  readonly path: string
  readonly signal: AbortSignal | undefined
}

/** The string that represents an input in a request, or what reads and perhaps uploads the content to make it. */
export type Address = string | (() => Promise<string>)

/**
 * Checks an input as far as that needs no reading.
 *
 * @throws RequestInvalidError when it can't be right.
 */
export function toAddress(
  kind: MediaKind,
  input: MediaInput,
  settings: InputSettings,
  place: InputPlace,
): Address {
  if (isSource(input)) {
    if (input.kind === kind) return toAddress(kind, input.input, settings, place)
    throw refused(place.operation, place.path, `is marked as ${input.kind}, and ${kind} is expected here`)
  }
  const given = input instanceof URL ? input.href : input
  if (typeof given === 'string') return stringAddress(kind, given, settings, place)
  if (typeof given === 'object' && given !== null && 'uri' in given) {
    if (typeof given.uri === 'string' && given.uri !== '') return given.uri
    throw refused(place.operation, place.path, 'has a uri that is not a non-empty string')
  }
  return async () => {
    // Loaded by those who pass content.
    const { contentToAddress } = await load(import('./files.ts'), place)
    return contentToAddress(kind, given, settings, place)
  }
}

function stringAddress(
  kind: MediaKind,
  given: string,
  { checked }: InputSettings,
  { operation, path }: InputPlace,
): string {
  if (given === '') throw refused(operation, path, 'is empty')
  if (/^data:/i.test(given)) {
    const problem = checked ? checkDataUri(kind, given) : undefined
    if (problem !== undefined) throw refused(operation, path, problem)
    return given
  }
  if (/^https?:/i.test(given)) {
    const problem = checked ? urlProblem(given) : undefined
    if (problem !== undefined) throw refused(operation, path, problem)
    return given
  }
  if (/^file:/i.test(given))
    throw refused(
      operation,
      path,
      'is a file: URL; pass file(fileURLToPath(url)), with fileURLToPath of node:url',
    )
  // A single letter before a colon is a drive. The form of the URI of an upload is not documented.
  if (/^[a-z][a-z0-9+.-]+:/i.test(given)) return given
  throw refused(
    operation,
    path,
    'is a string without a scheme: a URL begins with https://; pass a local file as file(path), and a URI of another form as { uri }',
  )
}
