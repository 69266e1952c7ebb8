import { expect, it } from 'vitest'
import { filenameFor, mediaTypeFor } from './form-field.ts'

it.each([
  ['a.wav', ['audio/mpeg', 'audio/x-wav'], 'audio/x-wav'],
  ['a.MP3', ['audio/mpeg'], 'audio/mpeg'],
  ['archive.tar.gz', ['application/gzip'], 'application/octet-stream'],
  ['a.pdf.sig', ['application/pdf'], 'application/octet-stream'],
  ['a.wav', ['audio/wx-av', 'audio/wav-x-'], 'application/octet-stream'],
  ['a.pdf', ['application/ax-pdf'], 'application/octet-stream'],
  ['pdf', ['application/pdf'], 'application/octet-stream'],
  [undefined, ['application/pdf'], 'application/octet-stream'],
])('R-08: the media type of %s, of %o, is %s', (filename, accepted, expected) => {
  expect(mediaTypeFor(filename, accepted)).toBe(expected)
})

it.each([
  ['application/pdf', 'file.pdf'],
  ['audio/x-wav', 'file.wav'],
  ['application/octet-stream', 'file'],
  ['application/octet', 'file'],
  ['image/svg+xml', 'file'],
  ['x-image/png', 'file'],
  [undefined, 'file'],
])('R-08: bytes of %s without a name get the name %s', (contentType, expected) => {
  expect(filenameFor('file', contentType)).toBe(expected)
})
