import { load } from '@concord/runtime/internal'

import { invalidRequest } from './errors.ts'
import { checkDataUri, urlProblem } from './input-rules.ts'
import { isSource, type InputSettings, type MediaInput } from './inputs.ts'
import { KIND_NOUNS, type MediaKind } from './media-types.ts'

export interface InputPlace {
  readonly operation: string
  readonly path: string
  readonly signal: AbortSignal | undefined
}

/**
 * The string that represents an input in a request, or a function that produces this string by reading (and perhaps
 * uploading) the content.
 */
export type Address = string | (() => Promise<string>)

/**
 * Returns the address of an input. Checks everything that can be checked without reading the content.
 *
 * @throws RequestInvalidError if the input is invalid. The returned function throws it too.
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
      `is marked as ${KIND_NOUNS[input.kind]}, but the field takes ${KIND_NOUNS[kind]}`,
    )
  }
  const given = input instanceof URL ? input.href : input
  if (typeof given === 'string') return stringAddress(kind, given, settings, place)
  if (typeof given === 'object' && given !== null && 'uri' in given) {
    if (typeof given.uri === 'string' && given.uri !== '') return given.uri
    throw invalidRequest(place.operation, place.path, 'has a `uri` that is empty or not a string')
  }
  return async () => {
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
      'is the URL of a local file; import `fileURLToPath` from `node:url`, and pass `file(fileURLToPath(url))`',
    )
  // The documentation doesn't say which scheme the URI of an upload has, so every scheme is accepted. But a single
  // letter before the colon is a Windows drive.
  if (/^[a-z][a-z0-9+.-]+:/i.test(given)) return given
  throw invalidRequest(
    operation,
    path,
    'is a string without a scheme; pass a URL that starts with https://, a local file as `file(path)`, or another kind of URI as `{ uri }`',
  )
}
