import type { BinaryContent } from '@concord/runtime'
import { load, requiredString } from '@concord/runtime/internal'

import { invalidRequest } from './errors.ts'
import { checkDataUri, urlProblem } from './input-rules.ts'
import type { MediaKind } from './media-types.ts'

/**
 * An input of a generation: a URL, a data URI or another URI as a string; a local file as `file(path)` (in Node), bytes, a
 * Blob or a stream. A string is never read as a path, so strings from your users are safe to pass. `{ uri }` sends any
 * string unchanged.
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

/** A file on this machine, by its path. Only {@link file} can create one; parsed JSON never counts as one. @public */
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

/** Marks an input as an image, for one of the `fields`: it is sent as a URL or a data URI. @public */
export function image(input: PlainInput): MediaSource<'image'> {
  return { kind: 'image', input, [SOURCE]: true }
}

/** Marks an input as a video, for one of the `fields`. See {@link image}. @public */
export function video(input: PlainInput): MediaSource<'video'> {
  return { kind: 'video', input, [SOURCE]: true }
}

/** Marks an input as a recording, for one of the `fields`. See {@link image}. @public */
export function audio(input: PlainInput): MediaSource<'audio'> {
  return { kind: 'audio', input, [SOURCE]: true }
}

/** Returns whether a value was made by {@link image}, {@link video} or {@link audio}. */
export function isSource(value: unknown): value is MediaSource {
  return typeof value === 'object' && value !== null && (value as Partial<MediaSource>)[SOURCE] === true
}

/** Returns whether a value was made by {@link file}. */
export function isFile(value: unknown): value is LocalFile {
  return typeof value === 'object' && value !== null && (value as Partial<LocalFile>)[FILE] === true
}

/** The file that an uploader receives. @public */
export interface UploadFile {
  readonly kind: MediaKind
  readonly contentType: string
  readonly filename: string | undefined
  /** If known. */
  readonly sizeBytes: number | undefined
  /** The bytes, which can be read once. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Uploads a file to the service and resolves to the URI of the upload. @public */
export type Uploader = (file: UploadFile, options: { readonly signal?: AbortSignal }) => Promise<string>

/** How inputs are checked and uploaded. */
export interface InputSettings {
  readonly uploader: Uploader | undefined
  readonly checked: boolean
}

/** The location of an input in a request. */
export interface InputPlace {
  readonly operation: string
  readonly path: string
  readonly signal: AbortSignal | undefined
}

/**
 * The string that represents an input in a request, or a function that reads (and perhaps uploads) the content to produce
 * it.
 */
export type Address = string | (() => Promise<string>)

/**
 * Checks an input without reading it.
 *
 * @throws RequestInvalidError if the input can't be valid.
 */
export function toAddress(
  kind: MediaKind,
  input: MediaInput,
  settings: InputSettings,
  place: InputPlace,
): Address {
  if (isSource(input)) {
    if (input.kind === kind) return toAddress(kind, input.input, settings, place)
    throw invalidRequest(
      place.operation,
      place.path,
      `is marked as ${input.kind}, but the field takes ${kind}`,
    )
  }
  const given = input instanceof URL ? input.href : input
  if (typeof given === 'string') return stringAddress(kind, given, settings, place)
  if (typeof given === 'object' && given !== null && 'uri' in given) {
    if (typeof given.uri === 'string' && given.uri !== '') return given.uri
    throw invalidRequest(place.operation, place.path, 'has a uri that is not a non-empty string')
  }
  return async () => {
    // Loaded only if content is passed.
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
  if (given === '') throw invalidRequest(operation, path, 'is empty')
  if (/^data:/i.test(given)) {
    const problem = checked ? checkDataUri(kind, given) : undefined
    if (problem !== undefined) throw invalidRequest(operation, path, problem)
    return given
  }
  if (/^https?:/i.test(given)) {
    const problem = checked ? urlProblem(given) : undefined
    if (problem !== undefined) throw invalidRequest(operation, path, problem)
    return given
  }
  if (/^file:/i.test(given))
    throw invalidRequest(
      operation,
      path,
      'is a file: URL; pass file(fileURLToPath(url)), with fileURLToPath of node:url',
    )
  // A single letter before a colon is a Windows drive. Any other scheme may be an upload's: its form is not documented.
  if (/^[a-z][a-z0-9+.-]+:/i.test(given)) return given
  throw invalidRequest(
    operation,
    path,
    'is a string without a scheme: a URL starts with https://; pass a local file as file(path), and any other URI as { uri }',
  )
}
