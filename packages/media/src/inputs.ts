import { load, type BinaryInput } from '@concord/runtime'

import { refused } from './errors.ts'
import { checkDataUri } from './data-uri.ts'
import { urlProblem } from './input-rules.ts'
import type { MediaKind } from './media-types.ts'

/**
 * An input of a generation: a URL, a data URI or another URI as text; a local file by its path (in Node), bytes, a Blob
 * or a stream. A text without a scheme is a path; `{ uri }` passes any text on as it is.
 *
 * @public
 */
export type MediaInput = string | URL | BinaryInput | { readonly uri: string } | MediaSource

/** An input that says what it is, for fields whose names are not documented. @public */
export interface MediaSource {
  readonly kind: MediaKind
  readonly input: Exclude<MediaInput, MediaSource>
  readonly [SOURCE]: true
}

const SOURCE = Symbol.for('concord.media.source')

/** An image for one of the `fields`: it becomes a URL or a data URI there. @public */
export function image(input: MediaSource['input']): MediaSource {
  return { kind: 'image', input, [SOURCE]: true }
}

/** A video for one of the `fields`. See {@link image}. @public */
export function video(input: MediaSource['input']): MediaSource {
  return { kind: 'video', input, [SOURCE]: true }
}

/** A recording for one of the `fields`. See {@link image}. @public */
export function audio(input: MediaSource['input']): MediaSource {
  return { kind: 'audio', input, [SOURCE]: true }
}

/** Whether a value was made by {@link image}, {@link video} or {@link audio}. */
export function isSource(value: unknown): value is MediaSource {
  return typeof value === 'object' && value !== null && (value as Partial<MediaSource>)[SOURCE] === true
}

/** What an uploader is given. @public */
export interface UploadFile {
  readonly kind: MediaKind
  readonly contentType: string
  readonly filename: string | undefined
  /** Where it is known. */
  readonly sizeBytes: number | undefined
  /** The bytes; they can be read once. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Brings a file to the service and gives the URI that stands for it in a request. @public */
export type Uploader = (file: UploadFile, options: { readonly signal?: AbortSignal }) => Promise<string>

/** How inputs become what a request carries. */
export interface InputSettings {
  readonly uploader: Uploader | undefined
  readonly checked: boolean
}

/** Where an input stands. */
export interface InputPlace {
  readonly operation: string
  readonly path: string
  readonly signal: AbortSignal | undefined
}

/** The text that stands for an input in a request. @throws RequestInvalidError when it cannot be right. */
export async function toAddress(
  kind: MediaKind,
  input: MediaInput,
  settings: InputSettings,
  place: InputPlace,
): Promise<string> {
  if (isSource(input)) return toAddress(input.kind, input.input, settings, place)
  const text = input instanceof URL ? input.href : input
  if (typeof text === 'string') {
    if (text === '') throw refused(place.operation, place.path, 'is empty')
    if (/^data:/i.test(text)) {
      const problem = settings.checked ? checkDataUri(kind, text) : undefined
      if (problem !== undefined) throw refused(place.operation, place.path, problem)
      return text
    }
    if (/^https?:/i.test(text)) {
      const problem = settings.checked ? urlProblem(text) : undefined
      if (problem !== undefined) throw refused(place.operation, place.path, problem)
      return text
    }
    if (/^file:/i.test(text)) {
      const remedy = 'is a file: URL; give the path that fileURLToPath of node:url makes of it'
      throw refused(place.operation, place.path, remedy)
    }
    // A letter alone in front of a colon is a drive. How the URI of an upload looks is not documented.
    if (/^[a-z][a-z0-9+.-]+:/i.test(text)) return text
  } else if (typeof text === 'object' && text !== null && 'uri' in text) {
    if (typeof text.uri === 'string' && text.uri !== '') return text.uri
    throw refused(place.operation, place.path, 'has a uri that is not a text')
  }
  // Loaded by those who give files.
  const { fileToAddress } = await load(import('./files.ts'), place)
  return fileToAddress(kind, text, settings, place)
}
