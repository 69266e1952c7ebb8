import type { Issue } from '../core/errors.ts'
import { toJson } from '../core/json.ts'
import type { PartDescriptor } from '../core/operation.ts'
import { asBytes, isBlob, isStream } from './binary.ts'
import { filenameFor, mediaTypeFor } from './media-type.ts'
import { toText } from './path.ts'
import { readBytes, type Reading } from './reading.ts'
import type { Piece } from './streamed-body.ts'
import { toUploadSource, type UploadSource } from './upload-source.ts'

const encoder = new TextEncoder()

/** One part of a form, ready to be written. */
interface Part {
  readonly head: Uint8Array<ArrayBuffer>
  readonly sizeBytes: number | undefined
  readonly replayable: boolean
  readonly whole: Piece['whole']
  read(): Reading
}

/** A whole form. */
export interface Form {
  readonly contentType: string
  readonly sizeBytes: number | undefined
  readonly replayable: boolean
  /** What is to be read, one after the other. */
  readonly pieces: readonly Piece[]
}

/** A field of a form as the caller gave it. */
export interface Field {
  readonly name: string
  readonly value: unknown
  /** Not there for fields that the contract does not know. */
  readonly descriptor: PartDescriptor | undefined
  /** JSON pointer to the field in the input. */
  readonly place: string
}

/**
 * Writes a form as RFC 7578 and the HTML standard say. Answers the fields that cannot be written.
 *
 * @param boundary Must not occur in any part; a random one does not.
 */
export async function writeForm(
  fields: readonly Field[],
  boundary: string,
): Promise<Form | readonly Issue[]> {
  const made = await Promise.all(fields.map((field) => toPart(field, boundary)))
  const issues = made.filter((part) => 'reason' in part)
  if (issues.length > 0) return issues
  const parts = made.filter((part) => 'head' in part)
  const end = encoder.encode(`${parts.length === 0 ? '' : '\r\n'}--${boundary}--\r\n`)
  let sizeBytes: number | undefined = end.length
  for (const part of parts) {
    sizeBytes =
      part.sizeBytes === undefined || sizeBytes === undefined
        ? undefined
        : sizeBytes + part.head.length + part.sizeBytes
  }
  // Every part but the first begins with the line end that closes the one before.
  const first = parts[0]
  if (first !== undefined && sizeBytes !== undefined) sizeBytes -= 2
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes,
    replayable: parts.every((part) => part.replayable),
    pieces: [
      ...parts.flatMap((part) => [atHand(part === first ? part.head.subarray(2) : part.head), part]),
      atHand(end),
    ],
  }
}

async function toPart({ name, value, descriptor, place }: Field, boundary: string): Promise<Part | Issue> {
  const start = `\r\n--${boundary}\r\ncontent-disposition: form-data; name="${escape(name)}"`
  if (isFile(value, descriptor)) {
    const source = await toUploadSource(value, place)
    return 'reason' in source ? source : filePart(start, name, source, descriptor)
  }
  const json = descriptor?.kind === 'json' || (typeof value === 'object' && !(value instanceof Date))
  const text = json ? toJson(value) : (toText(value) ?? '')
  if (typeof text !== 'string') return { path: place, ...text }
  const type = descriptor?.kind === 'json' ? '\r\ncontent-type: application/json' : ''
  const bytes = encoder.encode(text)
  return {
    head: encoder.encode(`${start}${type}\r\n\r\n`),
    sizeBytes: bytes.length,
    replayable: true,
    ...atHand(bytes),
  }
}

function atHand(bytes: Uint8Array<ArrayBuffer>): {
  readonly whole: Uint8Array<ArrayBuffer>
  read(): Reading
} {
  return { whole: bytes, read: () => readBytes(bytes) }
}

function isFile(value: unknown, descriptor: PartDescriptor | undefined): boolean {
  if (descriptor !== undefined) return descriptor.kind === 'file'
  // An unknown field that holds a text is a text, never a path.
  if (typeof value !== 'object' || value === null || value instanceof Date) return false
  const content: unknown = 'content' in value ? value.content : value
  return (
    isBlob(content) ||
    isStream(content) ||
    asBytes(content) !== undefined ||
    (typeof content === 'object' && content !== null && Symbol.asyncIterator in content)
  )
}

function filePart(
  start: string,
  name: string,
  source: UploadSource,
  descriptor: PartDescriptor | undefined,
): Part {
  const type = source.contentType ?? mediaTypeFor(source.filename, descriptor?.contentTypes ?? [])
  const filename = source.filename ?? filenameFor(name, source.contentType)
  const head = `${start}; filename="${escape(filename)}"\r\ncontent-type: ${plainType(type)}\r\n\r\n`
  return {
    head: encoder.encode(head),
    sizeBytes: source.sizeBytes,
    replayable: source.replayable,
    whole: source.whole,
    read: () => source.read(),
  }
}

/** As the HTML standard says, so that a name cannot end its header. */
function escape(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}

/** A media type with anything but one is not sent. */
function plainType(type: string): string {
  return /^[\x20-\x7e]+$/.test(type) ? type : 'application/octet-stream'
}
