import { expect, it } from 'vitest'

import { nameDocument } from '../src/document.ts'

const PDF = Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0x2d)
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d)
const JPEG = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)

it.each([
  ['bytes of a PDF', PDF, 'document.pdf', 'application/pdf'],
  ['bytes of a PNG', PNG, 'document.png', 'image/png'],
  ['bytes of a JPEG', JPEG, 'document.jpg', 'image/jpeg'],
  ['a buffer', PNG.buffer, 'document.png', 'image/png'],
  ['a Blob without a type', new Blob([JPEG]), 'document.jpg', 'image/jpeg'],
  ['a Blob with a type', new Blob(['x'], { type: 'image/png' }), 'document.png', 'image/png'],
  ['a File with a name', new File(['x'], 'a.b.PDF'), 'a.b.PDF', 'application/pdf'],
  ['a File without a name', new File([PNG], ''), 'document.png', 'image/png'],
  ['a path', '/scans/may.d/page.jpeg', 'page.jpeg', 'image/jpeg'],
  ['content with a name', { content: 'text', filename: 'x.png' }, 'x.png', 'image/png'],
  ['content with a type', { content: 'text', contentType: 'text/x' }, 'text', 'text/x'],
])('the name and type of a document are found for %s', async (_what, file, filename, contentType) => {
  expect(await nameDocument({ file: file as never })).toMatchObject({ filename, contentType })
})

it.each([
  ['alone', { uri: 'file:///scans/a.pdf' }, {}, ['a.pdf', 'application/pdf']],
  ['with its type', { uri: 'file:///scans/a', type: 'image/png' }, {}, ['a', 'image/png']],
  [
    'with a type of the caller',
    { uri: 'a.pdf', type: 'image/png' },
    { contentType: 'x/y' },
    ['a.pdf', 'x/y'],
  ],
  ['with a name of the caller', { uri: 'a', name: 'b' }, { filename: 'c.jpg' }, ['c.jpg', 'image/jpeg']],
])(
  'the name and type of a document are found for a picked file %s',
  async (_what, file, more, [name, type]) => {
    expect(await nameDocument({ file, ...more })).toEqual({ uri: file.uri, name, type })
  },
)

it('a name and type from the caller take precedence', async () => {
  const file = { content: PDF, filename: 'own.png', contentType: 'image/png' }
  const named = await nameDocument({ file, filename: 'caller.pdf', contentType: 'text/x-caller' })
  expect(named).toMatchObject({ filename: 'caller.pdf', contentType: 'text/x-caller' })
})

it.each([
  ['no file', undefined, 'is missing or unusable'],
  ['null', null, 'is missing or unusable'],
  ['an empty path', '', 'is missing or unusable'],
  ['a number', 7, 'is missing or unusable'],
  ['a URL', new URL('file:///a.pdf'), 'is missing or unusable'],
  ['another extension', 'notes.txt', "has a name that ends in '.txt'"],
  ['an extension that every object has', 'notes.constructor', "has a name that ends in '.constructor'"],
  ['another type', new Blob(['x'], { type: 'text/plain' }), "is of the type 'text/plain'"],
  ['other bytes', Uint8Array.of(0x25, 0x51, 0x44, 0x46), 'is not of an accepted type'],
  ['no bytes', new Uint8Array(), 'is empty'],
  ['an empty blob', new Blob([]), 'is empty'],
  ['a stream without a name', new ReadableStream(), 'has neither a file extension nor a known media type'],
  [
    'a stream',
    Object.assign(new ReadableStream(), { name: 'a.pdf' }),
    'has neither a file extension nor a known media type',
  ],
])('%s in place of a document is rejected before anything is sent', async (_what, file, reason) => {
  await expect(nameDocument({ file: file as never })).rejects.toMatchObject({
    code: 'invalid-request',
    operation: 'processDocument',
    issues: [{ path: '/body/file' }],
    message: expect.stringContaining(reason) as string,
  })
})
