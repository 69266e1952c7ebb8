import { expect, it, onTestFinished, vi } from 'vitest'
import type { OperationDescriptor, PartDescriptor } from '../core/descriptors.ts'
import { NO_BODY } from './compose.ts'
import { isPicked, readBlobPieces, readIterable, toUploadSource, type UploadSource } from './upload-source.ts'
import { encodeUpload, filenameFor, mediaTypeFor, pickedForm, toFields, writeMultipart } from './upload.ts'

const decoder = new TextDecoder()

async function* chunks(...values: readonly unknown[]): AsyncGenerator<Uint8Array> {
  for (const value of values) yield value as Uint8Array
}

/** A form with one field, as it is sent, and its announced length. */
async function written(value: unknown, descriptor?: PartDescriptor) {
  const form = await writeMultipart([{ name: 'f', value, descriptor, place: '/body/f' }], 'b')
  if (!('pieces' in form)) return { issues: form }
  let text = ''
  for (const piece of form.pieces) {
    const reading = piece.read()
    for (let chunk = await reading.next(); chunk !== undefined; chunk = await reading.next())
      text += decoder.decode(chunk)
  }
  const { sizeBytes, replayable } = form
  return { text, sizeBytes, replayable }
}

const start = '--b\r\ncontent-disposition: form-data; name="f"'

const json = { kind: 'json' } as const
const orJson = { kind: 'file', alternative: 'json' } as const
const orText = { kind: 'file', alternative: 'text' } as const
const rows: [string, unknown, PartDescriptor | undefined, string][] = [
  ['text', 'x', undefined, '\r\n\r\nx'],
  ['an object', { a: 1 }, undefined, '\r\n\r\n{"a":1}'],
  ['a date', new Date(0), undefined, '\r\n\r\n1970-01-01T00:00:00.000Z'],
  ['documented JSON', 'x', json, '\r\ncontent-type: application/json\r\n\r\n"x"'],
  [
    'an object that may be a file instead',
    { a: 1 },
    orJson,
    '\r\ncontent-type: application/json\r\n\r\n{"a":1}',
  ],
  ['a number that may be a file instead', 1, orJson, '\r\n\r\n1'],
  ['text that may be a file instead', 'x', orText, '\r\n\r\nx'],
  ['an object with text as its content', { content: 'x' }, undefined, '\r\n\r\n{"content":"x"}'],
  ['an object with null as its content', { content: null }, undefined, '\r\n\r\n{"content":null}'],
]
it.each(rows)('a form has a field with its length: %s', async (_, value, descriptor, expected) => {
  const text = `${start}${expected}\r\n--b--\r\n`
  expect(await written(value, descriptor)).toEqual({ text, sizeBytes: text.length, replayable: true })
})

it.each([
  ['a Blob', new Blob(['x']), orText],
  ['bytes with a description', { content: Uint8Array.of(120) }, orJson],
])(
  'a part that may be a file or something else is a file if it has bytes: %s',
  async (_, value, descriptor) => {
    expect(await written(value, descriptor)).toMatchObject({
      text: `${start}; filename="f"\r\ncontent-type: application/octet-stream\r\n\r\nx\r\n--b--\r\n`,
    })
  },
)

it.each([
  ['a string, if no other value is one', '/no such/file', orJson],
  ['a described string, if another value is one', { content: '/no such/file' }, orText],
])('a part that may be a file or something else takes a path: %s', async (_, value, descriptor) => {
  expect(await written(value, descriptor)).toEqual({
    issues: [{ path: '/body/f', reason: expect.stringContaining("the file doesn't exist") as string }],
  })
})

it.each([
  ['bytes', () => Uint8Array.of(120)],
  ['a described Blob', () => ({ content: new Blob(['x']) })],
  ['a Blob', () => new Blob(['x'])],
  ['a stream', () => new Blob(['x']).stream()],
  ['a described iterable', () => ({ content: chunks('x'), sizeBytes: 1 })],
])('a part that the contract does not define is a file if it has bytes: %s', async (what, make) => {
  const text = `${start}; filename="f"\r\ncontent-type: application/octet-stream\r\n\r\nx\r\n--b--\r\n`
  const isStream = /stream|iterable/.test(what)
  expect(await written(make())).toEqual({
    text,
    sizeBytes: what === 'a stream' ? undefined : text.length,
    replayable: !isStream,
  })
})

it('R-26: a form can be sent again only if each of its parts can', async () => {
  const fields = ['x', chunks('y')].map((value) => ({ name: 'f', value, descriptor: undefined, place: '' }))
  expect(await writeMultipart(fields, 'b')).toMatchObject({ replayable: false, sizeBytes: undefined })
  expect(await writeMultipart(fields.toReversed(), 'b')).toMatchObject({
    replayable: false,
    sizeBytes: undefined,
  })
})

it('R-08: a form has one part for each item of a list, unless the contract has the whole list as JSON', () => {
  const parts: Record<string, PartDescriptor> = { whole: json, each: { ...json, isList: true } }
  const body = { kind: 'multipart', contentType: 'multipart/form-data', required: true, parts } as const
  const lists = {
    whole: [[1], [2]],
    each: [[1], [2]],
    text: [1, undefined, null, 2],
    none: undefined,
    null: null,
  }
  expect(toFields(lists, '/body', body).map(({ name, value }) => [name, value])).toEqual([
    ['whole', [[1], [2]]],
    ['each', [1]],
    ['each', [2]],
    ['text', 1],
    ['text', 2],
  ])
})

it('a form is not sent without a body', async () => {
  const body = { kind: 'multipart', contentType: 'multipart/form-data', required: false } as const
  const operation = { id: 'send', method: 'POST', path: '/', body } as unknown as OperationDescriptor
  expect(await encodeUpload(operation, body, undefined, undefined)).toBe(NO_BODY)
  const extra = { parts: { more: 'x' } }
  expect(await encodeUpload(operation, body, undefined, { extra })).toMatchObject({
    contentType: expect.stringContaining('multipart/form-data; boundary='),
  })
  expect(await encodeUpload(operation, body, {}, undefined)).not.toBe(NO_BODY)
})

it('a form can have no fields', async () => {
  expect(await writeMultipart([], 'b')).toMatchObject({ sizeBytes: '--b--\r\n'.length, replayable: true })
})

it.each([[7], [null], [{}], [{ content: 7 }]])('R-05: rejects %j as a file', async (value) => {
  expect(await written(value, { kind: 'file' })).toEqual({
    issues: [{ path: '/body/f', reason: 'must be a file path, bytes, a Blob or a stream' }],
  })
})

const source = async (input: unknown): Promise<UploadSource> =>
  (await toUploadSource(input, '/body')) as UploadSource

it('an upload has the name and media type of its Blob, if any', async () => {
  const named = Object.assign(new Blob(['x'], { type: 'text/csv' }), { name: 7 })
  expect(await source(named)).toMatchObject({ filename: undefined, contentType: 'text/csv' })
  expect(await source(import.meta.filename)).toMatchObject({ filename: 'upload-forms.test.ts' })
  expect(await source({ content: import.meta.filename, filename: 'a' })).toMatchObject({ filename: 'a' })
})

it('R-08: a Blob that this host cannot read as a stream is not sent as a whole', async () => {
  expect((await source(new Blob(['x']))).whole).toBeInstanceOf(Blob)
  const bare = Object.assign(new Blob(['x']), { stream: undefined })
  expect('whole' in (await source(bare))).toBe(false)
  const reading = readBlobPieces(bare)
  expect(decoder.decode(await reading.next())).toBe('x')
  expect(await reading.next()).toBeUndefined()
  const canceled = readBlobPieces(bare)
  canceled.cancel()
  expect(await canceled.next()).toBeUndefined()
  const empty = Object.assign(new Blob([]), { stream: undefined })
  expect(await readBlobPieces(empty).next()).toBeUndefined()
})

it('R-08: an uploaded stream may produce bytes and strings, but no other values', async () => {
  expect(decoder.decode(await readIterable(chunks('x')).next())).toBe('x')
  await expect(readIterable(chunks(7)).next()).rejects.toMatchObject({
    code: 'invalid-options',
    option: 'upload',
  })
})

it('R-08: an upload has exactly its announced length, and the error says by how much it differs', async () => {
  for (const [given, message] of [
    ['xyz', /is 2 bytes, but the stream has more/],
    ['x', /is 2 bytes, but the stream has 1 fewer/],
  ] as const) {
    const reading = (await source({ content: chunks(given), sizeBytes: 2 })).read()
    await expect(reading.next().then(() => reading.next())).rejects.toThrow(message)
  }
  const named = (await source({ content: chunks('x'), sizeBytes: 2, filename: 'a.txt' })).read()
  await expect(named.next().then(() => named.next())).rejects.toThrow(/but "a\.txt" has 1 fewer/)
  const right = (await source({ content: chunks('x', 'y'), sizeBytes: 2 })).read()
  await right.next()
  await right.next()
  expect(await right.next()).toBeUndefined()
})

it('R-03: the read of an upload ends at once when it is canceled', async () => {
  let ended = 0
  const endless = (async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Uint8Array.of(1)
    } finally {
      ended++
    }
  })()
  const reading = (await source({ content: endless, sizeBytes: 9 })).read()
  await reading.next()
  reading.cancel()
  await Promise.resolve()
  expect(ended).toBe(1)
  const plain = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) }
  expect(() => readIterable(plain as AsyncIterable<unknown>).cancel()).not.toThrow()
})

const uri = 'file:///a.wav'

it.each<[unknown, boolean]>([
  [{ uri }, true],
  [{ uri, name: null, type: undefined }, true],
  [{ uri, name: 'a', type: 'audio/wav' }, true],
  [{ uri, name: 7 }, false],
  [{ uri, type: 7 }, false],
  [{ uri: 7 }, false],
  [{ name: 'a' }, false],
  [uri, false],
  [null, false],
])('R-08: %j is the file of a picker: %s', (value, expected) => {
  expect(isPicked(value)).toBe(expected)
})

/** The entries that the host adds to its form, or why it rejects them. */
function entriesOf(value: unknown, descriptor?: PartDescriptor): unknown {
  const entries: unknown[] = []
  vi.stubGlobal('navigator', { product: 'ReactNative' })
  vi.stubGlobal(
    'FormData',
    class {
      append(...entry: unknown[]): void {
        entries.push(entry)
      }
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const form = pickedForm([{ name: 'f', value, descriptor, place: '/body/f' }])
  if (!('native' in form)) return form
  form.native?.()
  expect(() => form.open()).toThrow(/fetchTransport/)
  return entries
}

it.each<[unknown, PartDescriptor | undefined, unknown]>([
  [{ uri }, undefined, { uri, name: 'a.wav', type: 'application/octet-stream' }],
  ['x', undefined, 'x'],
  [7, { kind: 'text' }, '7'],
  [{ a: 1 }, undefined, '{"a":1}'],
  [new Date(0), undefined, '1970-01-01T00:00:00.000Z'],
  ['x', { kind: 'json' }, { string: '"x"', type: 'application/json' }],
])('R-08: a form with the file of a picker has %j, of the kind %j, as %j', (value, descriptor, expected) => {
  expect(entriesOf(value, descriptor)).toEqual([['f', expected]])
})

it('R-05: a form with the file of a picker rejects a value that has no JSON', () => {
  expect(entriesOf({ toJSON: () => undefined })).toEqual([
    { path: '/body/f', reason: 'has no JSON representation' },
  ])
})

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
