import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ItemsDescriptor } from '../core/descriptors.ts'
import { createParser, EventParser } from './item-parsers.ts'

type Format = ItemsDescriptor['format']

/** Decodes and parses pieces of bytes, as a stream does. */
function itemsOf(format: Format, pieces: readonly Uint8Array[], maxLength = 1_000): unknown[] {
  const parser = createParser(format, maxLength)
  const decoder = new TextDecoder()
  const items: unknown[] = []
  for (const piece of pieces) items.push(...parser.push(decoder.decode(piece, { stream: true })))
  items.push(...parser.push(decoder.decode()), ...parser.end())
  return items
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function all(format: Format, text: string, maxLength?: number): unknown[] {
  return itemsOf(format, [bytes(text)], maxLength)
}

/** Splits bytes at these places. */
function split(whole: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).toSorted((a, b) => a - b), whole.length]
  return places.slice(1).map((end, index) => whole.subarray(places[index], end))
}

describe('an event stream', () => {
  it.each([
    ['one line of data', 'data: a\n\n', [{ data: 'a' }]],
    ['several lines of data, joined by line feeds', 'data: a\ndata:b\ndata\n\n', [{ data: 'a\nb\n' }]],
    ['only one space after the colon removed', 'data:  a\n\n', [{ data: ' a' }]],
    ['CR, LF and CR LF as ends of lines', 'data: a\r\rdata: b\r\n\r\ndata: c\n\n', [{ data: 'a' }, { data: 'b' }, { data: 'c' }]],
    ['a byte order mark', '\uFEFFdata: a\n\n', [{ data: 'a' }]],
    ['comments and unknown fields', ': hello\nfoo: b\ndata: a\n\n: ping\n\n', [{ data: 'a' }]],
    ['names, ids and times', 'event: add\nid: 7\nretry: 250\ndata: a\n\n', [{ event: 'add', data: 'a', id: '7', retry: 250 }]],
    ['no event without data', 'event: add\nid: 7\n\ndata\n\n', [{ data: '' }]],
    ['no event that was cut off', 'data: a\n\ndata: b\n', [{ data: 'a' }]],
    ['no name that is empty', 'event:\nevent\n:x\ndata: a\n\n', [{ data: 'a' }]],
    ['no time that only ends in digits', 'retry: x1\ntime: 1\ndata: a\n\n', [{ data: 'a' }]],
    ['no id with a null character, and no time that is not a number', 'id: a\0b\nretry: 1s\ndata: a\n\n', [{ data: 'a' }]],
  ])('has %s', (_, text, expected) => {
    expect(all('sse', text)).toStrictEqual(expected)
  }) // prettier-ignore

  it('keeps the last id and the time to wait', () => {
    const parser = new EventParser(1_000)
    const lastIds = ['id: 1\ndata: a\n\n', 'data: b\n\n', 'id: 2\n\n', 'id\nretry: 9\ndata: c\n\n'].map((text) => {
      Array.from(parser.push(text))
      return parser.lastEventId
    })
    expect(lastIds).toEqual(['1', '1', '2', ''])
    expect(parser.retryMs).toBe(9)
  }) // prettier-ignore
})

describe('JSON Lines', () => {
  it('end with LF or CR LF, the last one with anything, and empty ones are skipped', () => {
    expect(all('lines', '{"a":1}\r\n\n \n2\n"x"')).toEqual(['{"a":1}\r', '2', '"x"'])
  })

  it('may be exactly as long as the limit, and so may the items of other formats', () => {
    expect(all('lines', '12345\n12345', 5)).toEqual(['12345', '12345'])
    expect(() => all('lines', '123456', 5)).toThrow('more than 5 bytes')
    expect(all('sequence', '\u001E"123"\n', 6)).toEqual(['"123"\n'])
    expect(() => all('sequence', '\u001E"123"\n', 5)).toThrow('more than 5 bytes')
    expect(all('sse', 'data:12\n\n', 7)).toEqual([{ data: '12' }])
    expect(() => all('sse', 'data:123', 7)).toThrow('more than 7 bytes')
  })
})

describe('a JSON text sequence', () => {
  const rs = '\u001E'
  it('has items that begin with a separator and may contain line feeds', () => {
    expect(all('sequence', `${rs}{"a":1}\n${rs}${rs}[\n1\n]\n${rs}2\n`)).toEqual(['{"a":1}\n', '[\n1\n]\n', '2\n'])
  }) // prettier-ignore

  it('returns an item as soon as it is whole', () => {
    const parser = createParser('sequence', 1_000)
    expect([...parser.push(`${rs}{"a":`)]).toEqual([])
    expect([...parser.push('1}\n')]).toEqual(['{"a":1}\n'])
    expect([...parser.push(`${rs}[]\n`)]).toEqual(['[]\n'])
    expect([...parser.push(' \n')]).toEqual([])
    expect([...parser.push(`${rs}x {}`), ...parser.end()]).toEqual(['x {}'])
    expect([...parser.push(`${rs} \n${rs}`), ...parser.end()]).toEqual([])
  })

  it.each([
    ['a number without an end', `${rs}12`],
    ['a name without an end', `${rs}true${rs}{}\n`],
    ['text before the first separator', `{}\n${rs}{}\n`],
    ['text after the end of an item', `${rs}{}\n{}\n`],
    ['a name after a line end, without one of its own', `${rs}\nfalse`],
  ])('rejects %s', (_, text) => {
    const parser = createParser('sequence', 1_000)
    expect(() => {
      for (const character of text) Array.from(parser.push(character))
      Array.from(parser.end())
    }).toThrow(/has an item that was cut off|has text between/)
  })
})

describe('every format', () => {
  const line = fc.stringMatching(/^[a-zé𝄞":{}[\] ]{0,12}$/u)
  const end = fc.constantFrom('\n', '\r', '\r\n')
  const field = fc.tuple(
    fc.constantFrom('data', 'event', 'id', 'retry', '', 'x'),
    fc.constantFrom(':', ': '),
    line,
    end,
  )
  const texts: Record<Format, fc.Arbitrary<string>> = {
    sse: fc.array(fc.oneof(field.map((parts) => parts.join('')), end), { maxLength: 30 }).map((lines) => lines.join('')),
    lines: fc.array(fc.json({ maxDepth: 1 }), { maxLength: 8 }).map((items) => items.join('\n')),
    sequence: fc.array(fc.json({ maxDepth: 1 }), { maxLength: 8 }).map((items) => items.map((item) => `\u001E${item}\n`).join('')),
  } // prettier-ignore

  it.each(['sse', 'lines', 'sequence'] as const)('has the same items however its bytes are cut: %s', (format) => {
    fc.assert(
      fc.property(texts[format], fc.array(fc.nat(500), { maxLength: 20 }), (text, cuts) => {
        const whole = bytes(text)
        expect(itemsOf(format, split(whole, cuts))).toEqual(itemsOf(format, [whole]))
        expect(itemsOf(format, split(whole, [...whole.keys()]))).toEqual(itemsOf(format, [whole]))
      }),
      { numRuns: 200 },
    )
  }) // prettier-ignore

  it('limits one item, not the whole', () => {
    const long = { sse: 'data: aaaa\n\n', lines: '"aaaaa"\n', sequence: '\u001E"aaaaa"\n' }
    for (const format of ['sse', 'lines', 'sequence'] as const) {
      expect(all(format, long[format].repeat(100), 12)).toHaveLength(100)
      expect(() => all(format, long[format].repeat(2), 5)).toThrow('has an item of more than 5 bytes')
      expect(() => itemsOf(format, split(bytes(long[format]), [3, 6]), 5)).toThrow('maxResponseBytes')
    }
    expect(() => all('sse', 'data\n'.repeat(20), 12)).toThrow('more than 12 bytes')
  })

  it('takes time that grows with the length of an item, however it is cut', () => {
    const item = `\u001E[${'\n1,'.repeat(30_000)}\n1]\n`
    const parser = createParser('sequence', 1_000_000)
    const found: unknown[] = []
    for (const piece of item.split(/(?<=\n)/)) found.push(...parser.push(piece))
    found.push(...parser.end())
    expect(found).toHaveLength(1)
  })
})
