import { describe, expect, it } from 'vitest'

import { checkDataUri, surelyFittingBytes, urlProblem } from './input-rules.ts'
import { extensionFor, imageTypeByBytes, typeByName } from './media-types.ts'

const longest = (characters: number) => 'https://assets.example/'.padEnd(characters, 'a')

describe('the rules for URLs', () => {
  it.each([
    'https://assets.example/a.png',
    'https://assets.example:8443/a.png?b=c',
    'HTTPS://ASSETS.EXAMPLE/A.PNG',
    'https://1.2.3.4.example/a.png',
    'https://host1.2.3.example/a.png',
    'https://xn--bcher-kva.example/a.png',
    longest(2_048),
  ])('accepts the URL %s', (url) => {
    expect(urlProblem(url)).toBeUndefined()
  })

  it.each([
    ['http://assets.example/a.png', /https/],
    ['https://1.2.3.4/x', /IP address/],
    ['https://101.102.103.104/x', /IP address/],
    ['https://user@1.2.3.4/x', /IP address/],
    ['https://16909060/x', /IP address/],
    ['https://0x1.2.3.4/x', /IP address/],
    ['https://[::1]/x', /IP address/],
    ['https://[::ffff:1.2.3.4]/x', /IP address/],
    ['https://', /not a valid URL/],
    [longest(2_049), /2049 characters/],
  ])('rejects the URL %s', (url, why) => {
    expect(urlProblem(url)).toMatch(why)
  })
})

describe('a data URI', () => {
  const ofSize = (sizeBytes: number) => `data:image/png;base64,${Buffer.alloc(sizeBytes).toString('base64')}`

  it('a data URI can be far longer than a URL', () => {
    expect(checkDataUri('image', ofSize(100_000))).toBeUndefined()
  })

  it('a data URI is rejected only if it is too large under every reading of a MB', () => {
    expect(checkDataUri('image', ofSize(5 * 1_048_576))).toBeUndefined()
    expect(checkDataUri('image', ofSize(5 * 1_048_576 + 3))).toMatch(/at most 5 MB/)
    const video = (sizeBytes: number) => ofSize(sizeBytes).replace('image/png', 'video/mp4')
    expect(checkDataUri('video', video(16 * 1_048_576))).toBeUndefined()
    expect(checkDataUri('video', video(16 * 1_048_576 + 3))).toMatch(/at most 16 MB/)
  })

  it.each([
    'data:image/png,abc',
    'data:,data:image/png;base64,AAAA',
    'data:;base64,aaaa',
    'data:image/png;base64',
    'data:base64,aaaa',
    'data:;image/png;base64,aaaa',
    'data:image/png;base64url,aaaa',
  ])('a data URI must have the documented form, unlike %s', (uri) => {
    expect(checkDataUri('image', uri)).toMatch(/does not have the form/)
  })

  it('a data URI fits under every reading of the limit up to a size whose encoding, with its padding, has 5,000,000 characters', () => {
    const encoded = (sizeBytes: number) => Math.ceil(sizeBytes / 3) * 4
    expect(encoded(surelyFittingBytes('image'))).toBeLessThanOrEqual(5_000_000)
    expect(encoded(surelyFittingBytes('image') + 4)).toBeGreaterThan(5_000_000)
  })

  it('a data URI is rejected for a GIF, and accepted for a WebP', () => {
    expect(checkDataUri('image', 'data:image/gif;base64,R0lGODlh')).toMatch(/JPEG, PNG or WebP/)
    expect(checkDataUri('image', 'data:image/webp;base64,UklGRg==')).toBeUndefined()
    expect(checkDataUri('image', 'data:image/PNG;charset=binary;base64,AAAA')).toBeUndefined()
  })
})

describe('media types', () => {
  it.each<[string, readonly number[]]>([
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0]],
    ['image/png', [0x89, 0x50, 0x4e, 0x47]],
    ['image/webp', [...Buffer.from('RIFF0000WEBP')]],
    ['image/gif', [...Buffer.from('GIF89a')]],
  ])('recognizes %s by its first bytes', (type, bytes) => {
    expect(imageTypeByBytes(Uint8Array.from(bytes))).toBe(type)
  })

  it('guesses no media type for other bytes', () => {
    expect(imageTypeByBytes(Uint8Array.from([1, 2, 3]))).toBeUndefined()
    expect(imageTypeByBytes(new Uint8Array())).toBeUndefined()
    for (const near of [
      [0xff, 0xd8, 0x00],
      [0xff, 0x00, 0xff],
      [0x00, 0xd8, 0xff],
      [0x89, ...Buffer.from('MNG')],
      [0x00, ...Buffer.from('PNG')],
      [...Buffer.from('RIFF0000WAVE')],
      [...Buffer.from('JUNK0000WEBP')],
    ])
      expect(imageTypeByBytes(Uint8Array.from(near)), String(near)).toBeUndefined()
  })

  it.each<[string | undefined, string | undefined]>([
    ['holiday.2026.PNG', 'image/png'],
    ['png', undefined],
    ['notes.txt', undefined],
    ['photo.png.txt', undefined],
    ['folder.png/', undefined],
    ['boat.constructor', undefined],
    [undefined, undefined],
  ])('the media type of a file named %s is %s', (name, type) => {
    expect(typeByName(name)).toBe(type)
  })

  it.each<[string | undefined, string, string]>([
    ['video/mp4', 'https://o.example/x', 'mp4'],
    ['image/png; charset=binary', 'https://o.example/x.jpg', 'png'],
    ['image/jpeg', 'https://o.example/x', 'jpg'],
    ['audio/mpeg', 'https://o.example/x', 'mp3'],
    ['audio/x-aiff', 'https://o.example/x', 'aiff'],
    ['image/bmp', 'https://o.example/x', 'bmp'],
    ['Video/MP4 ; codecs=avc1', 'https://o.example/x', 'mp4'],
    ['application/image/foo', 'https://o.example/x.png', 'png'],
    ['image/svg+xml', 'https://o.example/x.v2.svg', 'svg'],
    ['application/octet-stream', 'https://o.example/x.MP4?signature=a.b', 'mp4'],
    ['image/svg+xml', 'https://o.example/x.img', 'img'],
    ['constructor', 'https://o.example/x', 'bin'],
    [undefined, 'https://o.example/x', 'bin'],
  ])('R-09: an output of type %s at %s has the extension %s', (contentType, url, extension) => {
    expect(extensionFor(contentType, url)).toBe(extension)
  })
})
