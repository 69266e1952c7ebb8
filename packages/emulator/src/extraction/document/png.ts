import { crc32, deflateSync, inflateSync } from 'node:zlib'

import type { ReadPage } from '../model.ts'

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const latin1 = new TextDecoder('latin1')
const utf8 = new TextDecoder()
const MAX_TEXT_BYTES = 1_000_000

/** A text chunk of a PNG. @public */
export interface PngText {
  readonly keyword: string
  text: string
}

/** Reads the text chunks of a PNG (tEXt, zTXt, iTXt). The file may be truncated. */
export function readPngTexts(bytes: Uint8Array): PngText[] {
  const texts: PngText[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let offset = SIGNATURE.length; offset + 12 <= bytes.byteLength;) {
    const length = view.getUint32(offset)
    const type = latin1.decode(bytes.subarray(offset + 4, offset + 8))
    const data = bytes.subarray(offset + 8, offset + 8 + length)
    if (data.byteLength < length || type === 'IEND') break
    const text = readTextChunk(type, data)
    if (text) texts.push(text)
    offset += 12 + length
  }
  return texts
}

function readTextChunk(type: string, data: Uint8Array): PngText | undefined {
  const end = data.indexOf(0)
  if (end < 1 || !['tEXt', 'zTXt', 'iTXt'].includes(type)) return undefined
  const keyword = latin1.decode(data.subarray(0, end))
  const rest = data.subarray(end + 1)
  try {
    if (type === 'tEXt') return { keyword, text: latin1.decode(rest) }
    if (type === 'zTXt') return { keyword, text: latin1.decode(inflate(rest.subarray(1))) }
    const languageEnd = rest.indexOf(0, 2)
    const translatedEnd = rest.indexOf(0, languageEnd + 1)
    if (languageEnd < 0 || translatedEnd < 0) return undefined
    const body = rest.subarray(translatedEnd + 1)
    return { keyword, text: utf8.decode(rest[0] === 1 ? inflate(body) : body) }
  } catch {
    return undefined
  }
}

function inflate(bytes: Uint8Array): Uint8Array {
  return inflateSync(bytes, { maxOutputLength: MAX_TEXT_BYTES })
}

/** Encodes 8-bit gray values as a PNG. */
export function encodeGrayPng(width: number, height: number, gray: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header[8] = 8
  const rows = new Uint8Array((width + 1) * height)
  for (let row = 0; row < height; row++)
    rows.set(gray.subarray(row * width, (row + 1) * width), row * (width + 1) + 1)
  const chunks = [
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ]
  return Uint8Array.from(Buffer.concat(chunks))
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(typed.byteLength + 8)
  framed.writeUInt32BE(data.byteLength, 0)
  framed.set(typed, 4)
  framed.writeUInt32BE(crc32(typed), typed.byteLength + 4)
  return framed
}

const LARGEST_SIDE = 1_200

/** Draws a page as a white PNG with a gray bar in place of each piece of text. */
export function drawPage(page: ReadPage): Uint8Array<ArrayBuffer> {
  const scale = Math.min(1, LARGEST_SIDE / Math.max(page.width, page.height, 1))
  const width = Math.max(1, Math.round(page.width * scale))
  const height = Math.max(1, Math.round(page.height * scale))
  const gray = new Uint8Array(width * height).fill(255)
  for (const box of page.boxes) {
    const left = clamp(Math.round(box.x * scale), width)
    const right = clamp(Math.round((box.x + box.width) * scale), width)
    const top = clamp(Math.round(box.y * scale), height)
    const bottom = clamp(Math.round((box.y + box.height) * scale), height)
    for (let row = top; row < bottom; row++) gray.fill(96, row * width + left, row * width + right)
  }
  return encodeGrayPng(width, height, gray)
}

function clamp(value: number, limit: number): number {
  return Math.min(Math.max(value, 0), limit)
}
