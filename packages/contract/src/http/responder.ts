import { createHash } from 'node:crypto'
import { isObject, type Media, type ResponseSpec, type SchemaOracle } from '@concord/spec-model'

import { seededRandom } from '../oracle/random.ts'
import { generateHeaderValue } from '../oracle/generate.ts'
import { streamFormat, streamText } from './item-streams.ts'
import { isJson, isText, type HeaderLine, type RecordedResponse, typeToSend } from './exchange.ts'

/** A documented response. Its `value` is the body: an example or a generated value. */
export interface SpecResponse {
  readonly status: number
  readonly response: ResponseSpec
  readonly media?: Media | undefined
  readonly value?: unknown
}

export function responseFromSpec(
  oracle: SchemaOracle,
  { status, response, media, value }: SpecResponse,
): RecordedResponse {
  const headers: HeaderLine[] = []
  for (const header of response.headers) {
    if (header.example !== undefined) headers.push([header.name, headerText(header.example)])
    else if (header.schema) {
      const random = seededRandom(header.name)
      const made = generateHeaderValue(oracle, header.schema, random)
      if (made) headers.push([header.name, headerText(made.value)])
    }
  }
  if (!media) return { status, headers, body: new Uint8Array() }
  const type = typeToSend(media.type, value)
  return { status, headers: [['content-type', type], ...headers], body: bodyBytes(media, value) }
}

/** Most services write objects in headers as JSON. */
function headerText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value)
}

export function bodyBytes(media: Media, value: unknown): Uint8Array {
  const format = streamFormat(media.type)
  if (format) return Buffer.from(typeof value === 'string' ? value : streamText(format, value))
  const type = typeToSend(media.type, value)
  if (isJson(type)) return Buffer.from(JSON.stringify(value ?? null))
  if (isText(type)) return Buffer.from(String(value))
  return fileBytes(String(value))
}

/**
 * Makes up the bytes of a file, because the contract contains only its description. The bytes include every byte
 * value, line breaks and a multipart boundary, to expose code that isn't binary-safe.
 */
export function fileBytes(description: string): Uint8Array {
  const every = Uint8Array.from({ length: 256 }, (_, at) => at)
  const digest = createHash('sha256').update(description).digest()
  return new Uint8Array(
    Buffer.concat([digest, every, Buffer.from('\r\n--boundary\r\n\r\n/?#[]@!$&\r\n'), digest]),
  )
}
