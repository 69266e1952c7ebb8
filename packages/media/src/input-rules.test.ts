import { describe, expect, it } from 'vitest'

import { checkDataUri, urlProblem } from './input-rules.ts'
import { extensionFor, imageTypeByBytes } from './media-types.ts'

const longest = (characters: number) => 'https://assets.example/'.padEnd(characters, 'a')

describe('the rules for URLs', () => {
  it.each([
    'https://assets.example/a.png',
    'https://assets.example:8443/a.png?b=c',
    'HTTPS://ASSETS.EXAMPLE/A.PNG',
    'https://1.2.3.4.example/a.png',
    'https://xn--bcher-kva.example/a.png',
    longest(2_048),
  ])('allow %s', (url) => {
    expect(urlProblem(url)).toBeUndefined()
  })

  it.each([
    ['http://assets.example/a.png', /https/],
    ['https://1.2.3.4/x', /IP address/],
    ['https://user@1.2.3.4/x', /IP address/],
    ['https://16909060/x', /IP address/],
    ['https://0x1.2.3.4/x', /IP address/],
    ['https://[::1]/x', /IP address/],
    ['https://[::ffff:1.2.3.4]/x', /IP address/],
    ['https://', /not a valid URL/],
    [longest(2_049), /2049 characters/],
  ])('reject %s', (url, why) => {
    expect(urlProblem(url)).toMatch(why)
  })
})

describe('a data URI', () => {
  const ofSize = (sizeBytes: number) => `data:image/png;base64,${Buffer.alloc(sizeBytes).toString('base64')}`

  it('can be far longer than a URL', () => {
    expect(checkDataUri('image', ofSize(100_000))).toBeUndefined()
  })

  it('is rejected only if it is too large under every reading of a MB', () => {
    expect(checkDataUri('image', ofSize(5 * 1_048_576))).toBeUndefined()
    expect(checkDataUri('image', ofSize(5 * 1_048_576 + 3))).toMatch(/at most 5 MB/)
    const video = (sizeBytes: number) => ofSize(sizeBytes).replace('image/png', 'video/mp4')
    expect(checkDataUri('video', video(16 * 1_048_576))).toBeUndefined()
    expect(checkDataUri('video', video(16 * 1_048_576 + 3))).toMatch(/at most 16 MB/)
  })

  it.each(['data:image/png,abc', 'data:;base64,aaaa', 'data:image/png;base64', 'data:base64,aaaa'])(
    'must have the documented form, unlike %s',
    (uri) => {
      expect(checkDataUri('image', uri)).toMatch(/does not have the form/)
    },
  )

  it('is rejected for a GIF, and accepted for a WebP', () => {
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
  ])('recognize %s by its first bytes', (type, bytes) => {
    expect(imageTypeByBytes(Uint8Array.from(bytes))).toBe(type)
  })

  it('are not guessed for other bytes', () => {
    expect(imageTypeByBytes(Uint8Array.from([1, 2, 3]))).toBeUndefined()
    expect(imageTypeByBytes(new Uint8Array())).toBeUndefined()
  })

  it.each<[string | undefined, string, string]>([
    ['video/mp4', 'https://o.example/x', 'mp4'],
    ['image/png; charset=binary', 'https://o.example/x.jpg', 'png'],
    ['image/jpeg', 'https://o.example/x', 'jpg'],
    ['audio/mpeg', 'https://o.example/x', 'mp3'],
    ['audio/x-aiff', 'https://o.example/x', 'aiff'],
    ['application/octet-stream', 'https://o.example/x.MP4?signature=a.b', 'mp4'],
    [undefined, 'https://o.example/x', 'bin'],
  ])('R-09: %s at %s has the extension %s', (contentType, url, extension) => {
    expect(extensionFor(contentType, url)).toBe(extension)
  })
})
