import { OptionsError, RequestInvalidError } from '@concord/runtime'
import { ByteQueue, openBinary, type OpenedBinary } from '@concord/runtime/internal'

import type { InputPlace } from './addresses.ts'
import { invalidRequest } from './errors.ts'
import { maxBytes, surelyFittingBytes, typeProblem } from './input-rules.ts'
import { INPUT_LIMITS_MB, isFile, type InputSettings } from './inputs.ts'
import { essence, imageTypeByBytes, KIND_NOUNS, typeByName, type MediaKind } from './media-types.ts'

/**
 * Turns content into a data URI, or passes it to the uploader and returns the URI of the upload.
 *
 * @throws RequestInvalidError if the content can't be sent.
 */
export async function contentToAddress(
  kind: MediaKind,
  input: unknown,
  settings: InputSettings,
  place: InputPlace,
): Promise<string> {
  const file = await open(input, place)
  const limit = maxBytes(kind, 'dataUri')
  const preferred = settings.uploader === undefined ? limit : surelyFittingBytes(kind)
  if (settings.checked && (file.sizeBytes ?? 0) > maxBytes(kind, 'upload'))
    throw tooLarge(kind, 'upload', file.sizeBytes, place)
  const start = await readStart(file, settings.checked || settings.uploader ? preferred : Infinity, place)
  const contentType = typeOf(kind, file, start.bytes, { ...place, checked: settings.checked })
  if (start.rest === undefined) return `data:${contentType};base64,${toBase64(start.bytes)}`
  if (settings.uploader === undefined) {
    await start.close()
    throw tooLarge(kind, 'dataUri', file.sizeBytes, place)
  }
  const { filename, sizeBytes } = file
  const { rest: content, close } = start
  const uri: unknown = await settings
    .uploader(
      {
        kind,
        contentType,
        filename,
        sizeBytes,
        content: settings.checked ? bounded(kind, content, place) : content,
      },
      place.signal === undefined ? {} : { signal: place.signal },
    )
    .finally(close)
  if (typeof uri === 'string' && uri !== '') return uri
  throw new OptionsError(
    'uploader',
    '`uploader` must resolve to a non-empty string. The request was not sent.',
    'Pass an async function that returns the URI of the upload.',
  )
}

/** Only a value from `file()` is read as a path, never a plain string. */
async function open(input: unknown, { operation, path }: InputPlace): Promise<OpenedBinary> {
  const described = typeof input === 'object' && input !== null && 'content' in input ? input : undefined
  const content: unknown = described === undefined ? input : described.content
  const source = isFile(content) ? content.path : content
  if (typeof source === 'string' && !isFile(content))
    throw invalidRequest(
      operation,
      path,
      'has a `content` that is a string; for a local file, pass `content: file(path)`',
    )
  try {
    return await openBinary({ ...described, content: source }, path, operation)
  } catch (error) {
    if (!RequestInvalidError.is(error) || isFile(content)) throw error
    throw invalidRequest(
      operation,
      path,
      'is not an input; pass a URL, a data URI, bytes, a Blob, a stream, or a local file as file(path)',
    )
  }
}

/** Reads the start of a file, up to a limit. If the file is longer, `rest` yields all of its bytes, including the start. */
async function readStart(
  file: OpenedBinary,
  limit: number,
  { signal }: InputPlace,
): Promise<{
  readonly bytes: Uint8Array
  readonly rest?: AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}> {
  const start = new ByteQueue()
  const iterator = file.read()[Symbol.asyncIterator]()
  const close = async (): Promise<void> => void (await iterator.return?.())
  for (;;) {
    signal?.throwIfAborted()
    const { done, value } = await iterator.next()
    if (done === true) return { bytes: start.join(), close }
    start.push(value)
    if (start.sizeBytes > limit) return { bytes: start.join(), rest: all(start.pieces(), iterator), close }
  }
}

async function* all(
  chunks: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
}

/** Yields the content, and throws once it exceeds the upload limit: the size of a stream isn't known in advance. */
async function* bounded(
  kind: MediaKind,
  content: AsyncIterable<Uint8Array>,
  place: InputPlace,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes(kind, 'upload')) throw tooLarge(kind, 'upload', undefined, place)
    yield chunk
  }
}

function typeOf(
  kind: MediaKind,
  file: OpenedBinary,
  bytes: Uint8Array,
  { operation, path, checked }: InputPlace & Pick<InputSettings, 'checked'>,
): string {
  if (bytes.length === 0) throw invalidRequest(operation, path, 'is empty')
  const seen = imageTypeByBytes(bytes)
  const declared = file.contentType === undefined ? undefined : essence(file.contentType)
  const type = declared ?? seen ?? typeByName(file.filename)
  if (type === undefined)
    throw invalidRequest(operation, path, 'has an unknown media type; pass { content, contentType }')
  if (!checked) return type
  const problem = typeProblem(kind, type) ?? typeProblem(kind, seen ?? type)
  if (problem !== undefined) throw invalidRequest(operation, path, problem)
  // The name and the declared type can be wrong. Without this check, the service could charge for a request whose
  // file isn't an image.
  if (kind === 'image' && seen === undefined)
    throw invalidRequest(
      operation,
      path,
      'is not an image: its first bytes are not those of JPEG, PNG or WebP',
    )
  return type
}

function tooLarge(
  kind: MediaKind,
  way: 'dataUri' | 'upload',
  sizeBytes: number | undefined,
  place: InputPlace,
) {
  const size = sizeBytes === undefined ? '' : ` of ${sizeBytes} bytes`
  const limits = INPUT_LIMITS_MB[kind]
  const advice =
    way === 'upload'
      ? 'the service accepts no larger files'
      : `pass a URL (up to ${limits.url} MB), or pass an \`uploader\` to the client (up to ${limits.upload} MB)`
  const name = { dataUri: 'content that is sent as a data URI', upload: 'an upload' }[way]
  return invalidRequest(
    place.operation,
    place.path,
    `is ${KIND_NOUNS[kind]}${size} and exceeds the limit of ${limits[way]} MB for ${name}; ${advice}`,
  )
}

function toBase64(bytes: Uint8Array): string {
  const own = (bytes as Uint8Array & { toBase64?(): string }).toBase64
  if (typeof own === 'function') return own.call(bytes)
  // This is a multiple of three, so that base64 pads only the last piece.
  const pieceBytes = 24_576
  let text = ''
  for (let at = 0; at < bytes.length; at += pieceBytes)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + pieceBytes)))
  return text
}
