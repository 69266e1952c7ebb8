import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'

import { openPdf } from '../../src/extraction/document/pdf.ts'
import { unpacksTooLarge } from '../../src/extraction/document/unpacked-size.ts'

const MEBIBYTE = 1024 * 1024

/** A PDF-like file of streams, each with the filters that its dictionary names. */
function fileOf(...streams: { filter?: string; content: Uint8Array }[]): Uint8Array<ArrayBuffer> {
  const parts = streams.flatMap(({ filter = '', content }, index) => [
    Buffer.from(`${index + 1} 0 obj << ${filter} /Length ${content.byteLength} >> stream\n`),
    content,
    Buffer.from('\nendstream endobj\n'),
  ])
  return new Uint8Array(Buffer.concat([Buffer.from('%PDF-1.7\n'), ...parts]))
}

const zeros = (sizeBytes: number, times = 1): Uint8Array => {
  let packed: Uint8Array = new Uint8Array(sizeBytes)
  for (let time = 0; time < times; time++) packed = deflateSync(packed)
  return packed
}

function toBase85(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at + 4 <= bytes.byteLength; at += 4) {
    let value = bytes.readUInt32BE(at)
    let group = ''
    for (let digit = 0; digit < 5; digit++, value = Math.floor(value / 85))
      group = String.fromCharCode(0x21 + (value % 85)) + group
    text += group === '!!!!!' ? 'z' : group
  }
  return `${text}~>`
}

it('the unpacked size of a PDF counts the inflated size of each stream', () => {
  const file = fileOf({ content: zeros(MEBIBYTE) }, { content: zeros(MEBIBYTE) })
  expect(unpacksTooLarge(file, 3 * MEBIBYTE)).toBe(false)
  expect(unpacksTooLarge(file, MEBIBYTE + MEBIBYTE / 2)).toBe(true)
})

it('the unpacked size of a PDF inflates a stream that was deflated twice, regardless of its dictionary', () => {
  const content = zeros(64 * MEBIBYTE, 2)
  expect(content.byteLength).toBeLessThan(1024)
  expect(unpacksTooLarge(fileOf({ filter: '/Filter /Fl#61te', content }), 8 * MEBIBYTE)).toBe(true)
})

it.each([
  ['hexadecimal digits', (bytes: Buffer) => `${bytes.toString('hex').replaceAll(/.{64}/g, '$&\n')}>`],
  ['base 85', toBase85],
])('the unpacked size of a PDF inflates a stream that is written in %s', (_, write) => {
  const content = Buffer.from(write(Buffer.from(zeros(64 * MEBIBYTE))))
  expect(unpacksTooLarge(fileOf({ content }), 8 * MEBIBYTE)).toBe(true)
})

it('the unpacked size of a PDF inflates a truncated stream', () => {
  const content = zeros(64 * MEBIBYTE).subarray(0, -8)
  expect(unpacksTooLarge(fileOf({ content }), 8 * MEBIBYTE)).toBe(true)
})

it.each([
  ['/Filter /LZWDecode', true],
  ['/Filter [/RL]', true],
  ['/Filter /LZ#57Decode', true],
  ['/Filter 9 0 R', true],
  ['/Filter [/FlateDecode 9 0 R]', true],
  [`/Filter /LZWDecode${' '.repeat(10_000)}`, true],
  ['/Filter /DCTDecode /Parent 9 0 R', false],
  ['', false],
])('the unpacked size of a PDF takes an upper bound for the filter in %j', (filter, isTooLarge) => {
  expect(unpacksTooLarge(fileOf({ filter, content: new Uint8Array(MEBIBYTE) }), 8 * MEBIBYTE)).toBe(
    isTooLarge,
  )
})

it('openPdf rejects a document that would unpack to gigabytes before parsing it', async () => {
  const file = fileOf({ filter: '/Filter [/FlateDecode /FlateDecode]', content: zeros(300 * MEBIBYTE, 2) })
  expect(file.byteLength).toBeLessThan(10_000)
  await expect(openPdf(file)).rejects.toThrow('its streams unpack to more than 256 MiB')
})
