import { expect, it } from 'vitest'
import type { ResponseDescriptor } from '../core/descriptors.ts'
import { BufferedResponse } from './buffered-response.ts'
import { canBeMedia, decode, isExpected, mediaType } from './decode.ts'

const encoder = new TextEncoder()

function read(
  body: string | Uint8Array<ArrayBuffer>,
  type: string | undefined,
  descriptor: ResponseDescriptor,
  status = 200,
): unknown {
  const headers = type === undefined ? {} : { 'content-type': type }
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  return decode(new BufferedResponse(status, headers, bytes), descriptor)
}

const any = { kind: 'any' } as const
const text = { kind: 'text', contentType: 'text/plain' } as const
const rows: [string, unknown, ...Parameters<typeof read>][] = [
  ['empty as documented', undefined, 'ignored', 'text/plain', { kind: 'empty' }],
  ['a stream without items', undefined, '', undefined, { kind: 'items' }, 204],
  ['open, and empty', undefined, '', 'text/html', { ...text, openBody: true }],
  ['open, and not empty', 'x', 'x', 'text/plain', { ...text, openBody: true }],
  ['JSON without a media type', { a: 1 }, '{"a":1}', undefined, { kind: 'json' }],
  ['JSON of its own media type', { a: 1 }, '{"a":1}', 'application/problem+json', { kind: 'json' }],
  ['JSON with a byte order mark', { a: 1 }, '\uFEFF{"a":1}', 'application/json', { kind: 'json' }],
  ['JSON with a replacement character', '\uFFFD', '"\uFFFD"', 'application/json', { kind: 'json' }],
  ['anything: JSON', { a: 1 }, '{"a":1}', 'text/json; charset=utf-8', any],
  ['anything: JSON without a media type', { a: 1 }, '{"a":1}', undefined, any],
  ['anything: text without a media type', '{"a', '{"a', undefined, any],
  ['anything: text', '{"a":1}', '{"a":1}', 'text/plain', any],
  ['anything: no text', undefined, '', 'text/plain', any],
  ['anything: no JSON', undefined, '', 'application/json', any],
  ['text that is empty', '', '', 'text/plain', text],
]
it.each(rows)('R-04: a body can be %s', (_, expected, ...args) => {
  expect(read(...args)).toEqual(expected)
})

it('R-04: a body of bytes is a Blob with its media type, if it has one', () => {
  expect(read('x', 'audio/mpeg', { kind: 'binary' })).toMatchObject({ type: 'audio/mpeg', size: 1 })
  expect(read('', undefined, { kind: 'binary' })).toMatchObject({ type: '', size: 0 })
  expect(read('x', undefined, { kind: 'binary', isMedia: true })).toMatchObject({ size: 1 })
})

it.each([
  ['encoding', Uint8Array.of(0xff), 'text/plain', text],
  ['encoding', Uint8Array.of(0xff), 'text/plain', any],
  ['syntax', '{"a', 'application/json', any],
  ['syntax', '{"a', undefined, { kind: 'json' }],
  ['empty', '', undefined, { kind: 'binary', isMedia: true }],
  ['media-type', 'x', 'text/html', { kind: 'binary', isMedia: true }],
  ['media-type', 'x', 'x-application/json+x', { kind: 'json' }],
  ['media-type', 'x', '/a/b+json', { kind: 'json' }],
  ['media-type', 'x', 'a/b+jsonx', { kind: 'json' }],
  ['media-type', 'x', 'image/png', { kind: 'items' }],
] as const)('R-04: a body cannot be read: %s', (problem, body, type, descriptor) => {
  const contentType = descriptor.kind === 'items' ? 'text/event-stream' : undefined
  expect(read(body, type, { contentType, ...descriptor } as ResponseDescriptor)).toEqual({ problem })
})

it('compares media types without parameters and case', () => {
  expect(mediaType(' Text/HTML ; charset=utf-8')).toBe('text/html')
  expect(mediaType(';charset=utf-8')).toBe('')
  expect(mediaType(undefined)).toBe('')
})

it.each([
  [undefined, 'image/png', true],
  ['image/png', undefined, true],
  ['image/png', 'image/png', true],
  ['IMAGE/PNG; q=1', 'image/png', true],
  ['image/png', 'image/jpeg', false],
  ['image/png', 'application/octet-stream', true],
  ['image/png', '*/*', true],
  ['image/png', 'image/*', true],
  ['image/', 'image/*', false],
  ['image/x', 'image/*', true],
  ['audio/png', 'image/*', false],
  ['application/problem+json', 'application/*+json', true],
  ['application/+json', 'application/*+json', false],
  ['application/problem+xml', 'application/*+json', false],
])('the media type %s is expected where the contract has %s: %s', (actual, contentType, expected) => {
  expect(isExpected(actual, contentType === undefined ? {} : { contentType })).toBe(expected)
  if (actual === undefined) expect(isExpected(actual, {})).toBe(true)
})

it('HTML, JSON and XML are not media files, whatever the contract says', () => {
  const types = ['text/html', 'application/json', 'text/xml', 'application/problem+json; q=1']
  for (const type of types) {
    expect(canBeMedia(type)).toBe(false)
    expect(isExpected(type, { isMedia: true })).toBe(false)
    expect(isExpected(type, {})).toBe(true)
  }
  for (const type of [undefined, 'audio/mpeg', 'x-text/html', 'text/htmlx', 'image/svg+xml']) {
    expect(canBeMedia(type)).toBe(true)
    expect(isExpected(type, { isMedia: true })).toBe(true)
  }
})
