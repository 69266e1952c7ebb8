import { createHash } from 'node:crypto'
import { isObject, type Media, type ResponseSpec, type SchemaOracle } from '@concord/spec-model'

import { seededRandom } from '../oracle/random.ts'
import { generateValid } from '../oracle/generate.ts'
import { isJson, type HeaderLine, type RecordedAnswer } from './exchange.ts'

/** A documented response with its body. */
export interface SpecAnswer {
  readonly status: number
  readonly response: ResponseSpec
  readonly media?: Media | undefined
  readonly value?: unknown
}

/**
 * Answers as the spec says: for what Prism cannot serve (`default`, binary bodies, webhooks), and for values that
 * are made on purpose. Where it is used, the matrix says `responder`.
 */
export function specAnswer(
  oracle: SchemaOracle,
  { status, response, media, value }: SpecAnswer,
): RecordedAnswer {
  const headers: HeaderLine[] = []
  for (const header of response.headers) {
    if (header.example !== undefined) headers.push([header.name, headerText(header.example)])
    else if (header.schema) {
      const made = generateValid(oracle, header.schema, seededRandom(header.name), 'full')
      if (made) headers.push([header.name, headerText(made.value)])
    }
  }
  if (!media) return { status, headers, body: new Uint8Array() }
  return { status, headers: [['content-type', media.type], ...headers], body: bodyBytes(media, value) }
}

/** A value in a header: in the style `simple`, and of objects as JSON, since a header with content is mostly that. */
function headerText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value)
}

/** The bytes of a body: JSON, text, or, for an example that describes bytes, the bytes that it stands for. */
export function bodyBytes(media: Media, value: unknown): Uint8Array {
  if (isJson(media.type)) return Buffer.from(JSON.stringify(value))
  if (media.type.startsWith('text/')) return Buffer.from(String(value))
  return fileBytes(String(value))
}

/**
 * Bytes in place of a file that the spec only describes. Deterministic, different for each
 * description, and chosen to break what is not safe for binary: every byte value, line ends, boundaries.
 */
export function fileBytes(description: string): Uint8Array {
  const every = Uint8Array.from({ length: 256 }, (_, at) => at)
  const digest = createHash('sha256').update(description).digest()
  return new Uint8Array(
    Buffer.concat([digest, every, Buffer.from('\r\n--boundary\r\n\r\n/?#[]@!$&\r\n'), digest]),
  )
}
