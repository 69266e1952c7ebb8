import type { Issue } from '../core/errors.ts'
import { toJson } from '../core/json.ts'
import type { BodyDescriptor, OperationDescriptor, PartDescriptor } from '../core/descriptors.ts'
import { CallerError } from './attempt.ts'
import { asBytes, isBlob, isReactNative, isStream } from './binary.ts'
import type { CallOptions, UploadProgress } from './call-options.ts'
import { type EncodedBody, NO_BODY, rejectBody, type UploadBody } from './compose.ts'
import { writeForm } from './parameter-writers.ts'
import { toText, written } from './path.ts'
import {
  fromBytes,
  isPicked,
  NEEDS_REACT_NATIVE,
  type PickedFile,
  type Reading,
  toUploadSource,
  type UploadSource,
} from './upload-source.ts'

export async function encodeUpload(
  operation: OperationDescriptor,
  body: BodyDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): Promise<EncodedBody> {
  if (body.kind === 'multipart') return encodeForm(operation, body, value, options)
  if (body.kind === 'form') return encodeFields(operation, body, value, options)
  if (value === undefined) return NO_BODY
  return encodeBinary(operation, body, value, options)
}

/**
 * Encodes a body as `application/x-www-form-urlencoded`.
 *
 * @throws RequestInvalidError if a member can't be written.
 * @see WHATWG URL, "application/x-www-form-urlencoded"
 */
function encodeFields(
  operation: OperationDescriptor,
  { contentType, parts }: BodyDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): EncodedBody {
  const extra = options?.extra?.body
  if (value === undefined && extra === undefined) return NO_BODY
  const fields = Object.entries({ ...(value as object), ...extra })
    .map(([name, member]) => written(parts?.[name]?.write ?? writeForm, name, member, 'body'))
    .filter((field) => field !== undefined)
  const issues = fields.filter((field) => typeof field === 'object')
  if (issues.length > 0) return rejectBody(operation, issues)
  // This media type encodes a space as `+`.
  return { content: fields.join('&').replaceAll('%20', '+'), contentType }
}

async function encodeBinary(
  operation: OperationDescriptor,
  body: BodyDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): Promise<EncodedBody> {
  if (isPicked(value) && isReactNative())
    return {
      content: pickedContent(value),
      contentType: value.type ?? body.contentType.replace('*/*', 'application/octet-stream'),
    }
  const source = await toUploadSource(value, '/body')
  if ('reason' in source) return rejectBody(operation, [source])
  const wildcard = body.contentType.includes('*')
  const contentType = source.contentType ?? (wildcard ? 'application/octet-stream' : body.contentType)
  const { sizeBytes, replayable } = source
  const pieces = [source]
  return { content: new Upload({ sizeBytes, replayable, pieces }, options?.onUploadProgress), contentType }
}

async function encodeForm(
  operation: OperationDescriptor,
  body: BodyDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): Promise<EncodedBody> {
  if (value === undefined && options?.extra?.parts === undefined) return NO_BODY
  const fields = [
    ...toFields((value ?? {}) as object, '/body', body),
    ...toFields(options?.extra?.parts ?? {}, '/parts', undefined),
  ]
  if (fields.some(({ value, descriptor }) => descriptor?.kind === 'file' && isPicked(value))) {
    const picked = pickedForm(fields)
    if (!('open' in picked)) return rejectBody(operation, picked)
    // `fetch` chooses the boundary and writes the `content-type` header.
    return { content: picked, contentType: undefined }
  }
  const form = await writeMultipart(fields, `concord-${randomName()}`)
  if (!('pieces' in form)) return rejectBody(operation, form)
  return { content: new Upload(form, options?.onUploadProgress), contentType: form.contentType }
}

/** A field of a form, before it is encoded. */
export interface Field {
  readonly name: string
  readonly value: unknown
  /** Absent for fields that the contract doesn't define. */
  readonly descriptor: PartDescriptor | undefined
  /** JSON pointer to the field in the input. */
  readonly place: string
}

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

/** File name extensions that differ from the subtype of their media type. */
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

/** Returns the accepted media type that fits the file name, or `application/octet-stream` if none fits. */
export function mediaTypeFor(filename: string | undefined, accepted: readonly string[]): string {
  const extension = /\.([a-z0-9]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase()
  if (extension !== undefined) {
    const subtype = SUBTYPES[extension] ?? extension
    const found = accepted.find((type) => type.slice(type.indexOf('/') + 1).replace(/^x-/, '') === subtype)
    if (found !== undefined) return found
  }
  return 'application/octet-stream'
}

/** Returns a file name for bytes without a name: the name of the part, with the extension that fits the media type. */
export function filenameFor(name: string, contentType: string | undefined): string {
  const subtype = /^[a-z]+\/(?:x-)?([a-z0-9]+)$/i.exec(contentType ?? '')?.[1]
  return subtype === undefined || subtype === 'octet' ? name : `${name}.${subtype}`
}

function isFile(value: unknown, descriptor: PartDescriptor | undefined): boolean {
  if (descriptor !== undefined && descriptor.kind !== 'file') return false
  const isPath = descriptor !== undefined && descriptor.alternative === undefined
  if (isPath || (typeof value === 'string' && descriptor?.alternative === 'json')) return true
  // A string in a field that the contract doesn't define is sent as text, and never read as a path.
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

/** Returns the string to send for a non-file field, or the reason why the field can't be sent. */
function textOf({ value, descriptor }: Pick<Field, 'value' | 'descriptor'>): ReturnType<typeof toJson> {
  return descriptor?.kind === 'json' || isMembers(value) ? toJson(value) : (toText(value) ?? '')
}

/** Returns false for a Date, because a Date is sent as a string. */
function isMembers(value: unknown): boolean {
  return typeof value === 'object' && !(value instanceof Date)
}

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

function pickedContent({ uri }: PickedFile): UploadBody {
  return pickedBody(async () => (await fetch(uri)).blob())
}

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
      reason: 'must be { uri, name, type }, because another field of the form is a React Native file',
    }
  const text = textOf({ value, descriptor })
  if (typeof text !== 'string') return { path: place, ...text }
  // React Native's FormData accepts an object with a string and its media type.
  const isTyped = descriptor?.kind === 'json'
  return { name, value: isTyped ? { string: text, type: 'application/json' } : text }
}

/** Returns a body that `fetch` itself reads. */
function pickedBody(native: () => FormData | Promise<Blob>): UploadBody {
  return {
    sizeBytes: undefined,
    failure: undefined,
    onTaken: undefined,
    replayable: () => true,
    release: () => undefined,
    native,
    open: () => {
      throw new TypeError(
        'Only `fetchTransport()` can send a React Native file. Pass `transport: fetchTransport()`.',
      )
    },
  }
}

/** On pages without HTTPS, `randomUUID` is missing. `Math.random` is then enough, because a boundary isn't secret. */
function randomName(): string {
  const { crypto } = globalThis as { readonly crypto?: Partial<Crypto> }
  if (typeof crypto?.randomUUID === 'function') return crypto.randomUUID()
  return Array.from({ length: 4 }, () => Math.random().toString(36).slice(2, 12)).join('')
}

const encoder = new TextEncoder()

interface Part {
  readonly head: Uint8Array<ArrayBuffer>
  readonly source: UploadSource
}

interface Form extends Uploadable {
  readonly contentType: string
}

/**
 * Encodes a form according to RFC 7578 and the HTML standard.
 *
 * @param boundary Must not occur in any part; use a random string.
 */
export async function writeMultipart(
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
      part.source.sizeBytes === undefined || sizeBytes === undefined
        ? undefined
        : sizeBytes + part.head.length + part.source.sizeBytes
  }
  // Each `head` begins with the line break after the previous part. The first part is sent without this line break.
  if (parts.length > 0 && sizeBytes !== undefined) sizeBytes -= 2
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes,
    replayable: parts.every(({ source }) => source.replayable),
    pieces: [
      ...parts.flatMap(({ head, source }, index) => [
        fromBytes(index === 0 ? head.subarray(2) : head),
        source,
      ]),
      fromBytes(end),
    ],
  }
}

async function toPart({ name, value, descriptor, place }: Field, boundary: string): Promise<Part | Issue> {
  const start = `\r\n--${boundary}\r\ncontent-disposition: form-data; name="${escape(name)}"`
  if (isFile(value, descriptor)) {
    const source = await toUploadSource(value, place)
    return 'reason' in source ? source : filePart(start, name, source, descriptor)
  }
  const text = textOf({ value, descriptor })
  if (typeof text !== 'string') return { path: place, ...text }
  const isTyped = descriptor?.kind === 'json' || (descriptor?.kind === 'file' && isMembers(value))
  const type = isTyped ? '\r\ncontent-type: application/json' : ''
  return { head: encoder.encode(`${start}${type}\r\n\r\n`), source: fromBytes(encoder.encode(text)) }
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
  return { head: encoder.encode(head), source }
}

/** Escapes a name according to the HTML standard, so that the name can't end the header it is in. */
function escape(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}

/** Returns the media type if it can be sent in a header, or else `application/octet-stream`. */
function plainType(type: string): string {
  return /^[\x20-\x7e]+$/.test(type) ? type : 'application/octet-stream'
}

/**
 * An upload that is sent as a whole reports no progress while it is sent. Therefore, its time limit grows with its
 * size: `timeoutMs` per block of `UNSEEN_BYTES`.
 */
const UNSEEN_BYTES = 2 ** 20

interface Uploadable {
  readonly sizeBytes: number | undefined
  readonly replayable: boolean
  /** The sources to read, one after the other. */
  readonly pieces: readonly UploadSource[]
}

class Upload implements UploadBody {
  readonly sizeBytes: number | undefined
  failure: CallerError | undefined = undefined
  onTaken: ((times: number) => void) | undefined = undefined
  readonly #content: Uploadable
  readonly #onProgress: ((progress: UploadProgress) => void) | undefined
  #touched = false
  #current: Reading | undefined = undefined
  /** The number of `release` calls. If it changes while `whole` is reading, `whole` opens no further source. */
  #released = 0

  constructor(content: Uploadable, onProgress: ((progress: UploadProgress) => void) | undefined) {
    this.sizeBytes = content.sizeBytes
    this.#content = content
    this.#onProgress = onProgress
  }

  /** A stream can be sent again only if nothing was read from it. */
  replayable(): boolean {
    return this.#content.replayable || !this.#touched
  }

  release(): void {
    this.#released++
    this.onTaken = undefined
    this.#current?.cancel()
    this.#current = undefined
  }

  async *open(): AsyncGenerator<Uint8Array> {
    let bytesSent = 0
    for (const piece of this.#content.pieces) {
      for await (const chunk of this.#read(piece)) {
        yield chunk
        // The transport asks for the next chunk only after the connection has accepted this one.
        bytesSent += chunk.length
        this.onTaken?.(1)
        this.#reportProgress(bytesSent)
      }
    }
  }

  async whole(): Promise<Blob> {
    const parts: Blob[] = []
    const released = this.#released
    for (const piece of this.#content.pieces) {
      if (piece.whole !== undefined) parts.push(toBlob(piece.whole))
      else
        for await (const chunk of this.#read(piece)) {
          parts.push(toBlob(chunk))
          this.onTaken?.(1)
        }
      if (released !== this.#released) break
    }
    const whole = new Blob(parts)
    this.onTaken?.(Math.ceil(whole.size / UNSEEN_BYTES) || 1)
    return whole
  }

  arrived(sizeBytes: number): void {
    if (sizeBytes > 0) this.#reportProgress(sizeBytes)
  }

  async *#read(piece: UploadSource): AsyncGenerator<Uint8Array> {
    this.#touched = true
    const reading = (this.#current = piece.read())
    for (let chunk = await this.#next(reading); chunk !== undefined; chunk = await this.#next(reading))
      yield chunk
    this.#current = undefined
  }

  async #next(reading: Reading): Promise<Uint8Array | undefined> {
    try {
      return await reading.next()
    } catch (error) {
      this.failure = new CallerError(error)
      throw error
    }
  }

  #reportProgress(bytesSent: number): void {
    const totalBytes = this.sizeBytes
    try {
      this.#onProgress?.(totalBytes === undefined ? { bytesSent } : { bytesSent, totalBytes })
    } catch (error) {
      this.failure = new CallerError(error)
      throw error
    }
  }
}

/**
 * The Blob constructor copies bytes, so the caller can reuse the memory. In browsers, the constructor rejects shared
 * memory, so `slice` first copies shared bytes to unshared memory.
 */
function toBlob(content: Blob | Uint8Array): Blob {
  if (content instanceof Blob) return content
  return new Blob([
    content.buffer instanceof ArrayBuffer ? (content as Uint8Array<ArrayBuffer>) : content.slice(),
  ])
}
