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

const large = (times = 1) => Buffer.from(zeros(64 * MEBIBYTE, times))
const toHex = (bytes: Buffer) => `${bytes.toString('hex').replaceAll(/.{64}/g, '$&\n')}>`
const two = [{ content: zeros(MEBIBYTE) }, { content: zeros(MEBIBYTE) }]

it.each<[title: string, streams: Parameters<typeof fileOf>, limitBytes: number, isTooLarge: boolean]>([
  ['two streams below the limit', two, 3 * MEBIBYTE, false],
  ['two streams that exceed it in total', two, 1.5 * MEBIBYTE, true],
  [
    'a stream that was deflated twice',
    [{ filter: '/Filter /Fl#61te', content: large(2) }],
    8 * MEBIBYTE,
    true,
  ],
  ['hexadecimal digits', [{ content: Buffer.from(toHex(large())) }], 8 * MEBIBYTE, true],
  ['base 85', [{ content: Buffer.from(toBase85(large())) }], 8 * MEBIBYTE, true],
  ['a truncated stream', [{ content: large().subarray(0, -8) }], 8 * MEBIBYTE, true],
])('unpacksTooLarge inflates %s', (_, streams, limitBytes, isTooLarge) => {
  expect(unpacksTooLarge(fileOf(...streams), limitBytes)).toBe(isTooLarge)
})

it.each([
  ['/Filter [/LZWDecode /LZWDecode]', true],
  ['/Filter [/LZWDecode /FlateDecode]', true],
  ['/Filter /BrotliDecode', true],
  ['/Filter /LZWDecode', false],
])('unpacksTooLarge multiplies the expansion of the filters in %j', (filter, isTooLarge) => {
  const file = fileOf({ filter, content: new Uint8Array(50_000) })
  expect(unpacksTooLarge(file, 256 * MEBIBYTE)).toBe(isTooLarge)
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
])('unpacksTooLarge takes an upper bound for the filter in %j', (filter, isTooLarge) => {
  expect(unpacksTooLarge(fileOf({ filter, content: new Uint8Array(MEBIBYTE) }), 8 * MEBIBYTE)).toBe(
    isTooLarge,
  )
})

it('openPdf rejects a document that would unpack to gigabytes before parsing it', async () => {
  const file = fileOf({ filter: '/Filter [/FlateDecode /FlateDecode]', content: zeros(300 * MEBIBYTE, 2) })
  expect(file.byteLength).toBeLessThan(10_000)
  await expect(openPdf(file)).rejects.toThrow('its streams unpack to more than 256 MiB')
})
