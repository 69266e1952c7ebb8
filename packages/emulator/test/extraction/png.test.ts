import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'

import { readPngTexts } from '../../src/extraction/document/png.ts'

const head = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const chunk = (type: string, data: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.byteLength)
  return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)])
}
const png = (...chunks: Buffer[]) =>
  new Uint8Array(Buffer.concat([head, ...chunks, chunk('IEND', Buffer.alloc(0))]))
const text = (value: string) => Buffer.from(value, 'latin1')

it('the text chunks of a PNG are read in all three formats', () => {
  const packed = deflateSync(Buffer.from('packed é'))
  expect(
    readPngTexts(
      png(
        chunk('tEXt', text('Title\0plain é')),
        chunk('zTXt', Buffer.concat([text('Author\0\0'), deflateSync(text('zipped'))])),
        chunk('iTXt', Buffer.concat([text('Description\0\0\0en\0Beschreibung\0'), Buffer.from('világ')])),
        chunk('iTXt', Buffer.concat([text('Comment\0\x01\0\0\0'), packed])),
        chunk('gAMA', Buffer.alloc(4)),
      ),
    ),
  ).toEqual([
    { keyword: 'Title', text: 'plain é' },
    { keyword: 'Author', text: 'zipped' },
    { keyword: 'Description', text: 'világ' },
    { keyword: 'Comment', text: 'packed é' },
  ])
})

it('the text chunks of a PNG are skipped if they are malformed', () => {
  const whole = png(
    chunk('tEXt', text('no end')),
    chunk('zTXt', text('Author\0\0not zipped')),
    chunk('iTXt', text('a\0\0')),
  )
  expect(readPngTexts(whole)).toEqual([])
  expect(readPngTexts(png(chunk('tEXt', text('Title\0x'))).slice(0, 20))).toEqual([])
  expect(readPngTexts(new Uint8Array())).toEqual([])
})

it('the text chunks of a PNG are skipped if they would unpack to a huge size', () => {
  const bomb = Buffer.concat([text('Title\0\0'), deflateSync(Buffer.alloc(5_000_000))])
  expect(readPngTexts(png(chunk('zTXt', bomb)))).toEqual([])
})
