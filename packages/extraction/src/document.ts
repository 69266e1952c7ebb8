import type { BinaryContent, BinaryInput } from '@concord/extraction-validators'
import { isBlob, openBinary } from '@concord/runtime/internal'

import { invalidSubmission } from './errors.ts'

/** The media types that the documentation lists, by file extension. */
const TYPE_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
])
const ACCEPTED = 'only PDF, PNG, JPG and JPEG are accepted'

/**
 * Determines the name and media type of a document. The documentation doesn't say which of the two the service uses, so
 * both are always sent. If the caller passes a media type, it is sent unchanged.
 *
 * @throws RequestInvalidError if the type of the document is clearly not accepted, or is unknown.
 */
export async function nameDocument({
  file,
  filename,
  contentType,
}: {
  readonly file: BinaryInput
  readonly filename?: string
  readonly contentType?: string
}): Promise<BinaryInput> {
  if (!isReadable(file))
    throw invalidSubmission(
      '/body/file',
      'is missing or unusable; pass a file path, bytes, a Blob or a stream (convert a `file:` URL to a path with `fileURLToPath`)',
    )
  if (isPicked(file)) {
    const name = filename ?? file.name ?? ownName(file.uri)
    return { uri: file.uri, name, type: contentType ?? file.type ?? (await typeOf(undefined, name)) }
  }
  const given: Named = isNamed(file) ? file : { content: file as BinaryContent }
  const { content } = given
  const name = filename ?? given.filename ?? ownName(content)
  const type = contentType ?? given.contentType ?? (await typeOf(content, name))
  return { ...given, filename: name ?? `document.${extensionOf(type) ?? 'bin'}`, contentType: type }
}

function isReadable(file: unknown): boolean {
  if (typeof file === 'string') return file !== ''
  return typeof file === 'object' && file !== null && !(file instanceof URL)
}

type Named = Extract<BinaryInput, { readonly content: unknown }>
type Picked = Extract<BinaryInput, { readonly uri: string }>

/** Returns whether the file is an object from a React Native picker. */
function isPicked(file: BinaryInput): file is Picked {
  return typeof (file as Partial<Picked>).uri === 'string'
}

function isNamed(file: BinaryInput): file is Named {
  return typeof file === 'object' && 'content' in file
}

function ownName(content: unknown): string | undefined {
  if (typeof content === 'string') return content.split(/[/\\]/).at(-1)
  return content instanceof File && content.name !== '' ? content.name : undefined
}

function extensionOf(type: string): string | undefined {
  return [...TYPE_BY_EXTENSION].find(([, each]) => each === type)?.[0]
}

async function typeOf(content: unknown, name: string | undefined): Promise<string> {
  const extension = /\.([^.]+)$/.exec(name?.toLowerCase() ?? '')?.[1]
  if (extension !== undefined) {
    const known = TYPE_BY_EXTENSION.get(extension)
    if (known === undefined)
      throw invalidSubmission(
        '/body/file',
        `has a name that ends in '.${extension}'; ${ACCEPTED}. Set \`contentType\` if the name is misleading`,
      )
    return known
  }
  if (isBlob(content) && content.type !== '') {
    if (extensionOf(content.type) !== undefined) return content.type
    throw invalidSubmission(
      '/body/file',
      `is of the type '${content.type}'; ${ACCEPTED}. Set \`contentType\` if that type is wrong`,
    )
  }
  const start = await firstBytes(content)
  if (start === undefined)
    throw invalidSubmission(
      '/body/file',
      `has neither a file extension nor a known media type; ${ACCEPTED}. Set \`filename\` or \`contentType\``,
    )
  if (start.length === 0) throw invalidSubmission('/body/file', 'is empty')
  const type = typeByBytes(start)
  if (type === undefined)
    throw invalidSubmission(
      '/body/file',
      `is not of an accepted type, judging by its first bytes; ${ACCEPTED}. Set \`contentType\` if the file has one of these types`,
    )
  return type
}

async function firstBytes(content: unknown): Promise<Uint8Array | undefined> {
  const isAtHand = ArrayBuffer.isView(content) || content instanceof ArrayBuffer
  if (!isAtHand && !isBlob(content)) return undefined
  const { read } = await openBinary(content, '/body/file')
  for await (const piece of read()) return piece.subarray(0, 8)
  return new Uint8Array(0)
}

function typeByBytes(start: Uint8Array): string | undefined {
  const begins = (...bytes: readonly number[]) => bytes.every((byte, index) => start[index] === byte)
  if (begins(0x25, 0x50, 0x44, 0x46)) return 'application/pdf'
  if (begins(0x89, 0x50, 0x4e, 0x47)) return 'image/png'
  if (begins(0xff, 0xd8, 0xff)) return 'image/jpeg'
  return undefined
}
