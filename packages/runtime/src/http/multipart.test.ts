import * as fc from 'fast-check'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it, vi } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { asBytes, isBlob, openBinary } from './binary.ts'
import { openTarget, openUpload } from './no-files.ts'
import { clientFor } from './test-support/clients.ts'
import { item, json, rejection, uploadForm } from './test-support/fixtures.ts'
import { collect } from './test-support/item-streams.ts'

/** A form as a server reads it with the platform's own parser. */
async function received(body: Record<string, unknown>, parts?: Record<string, unknown>): Promise<FormData> {
  let form: FormData | undefined
  const client = clientFor(async (request) => {
    form = await request.formData()
    return json(item)
  })
  await client.send(uploadForm, { body }, parts === undefined ? {} : { extra: { parts } })
  if (form === undefined) throw new Error('Nothing was received.')
  return form
}

function fileOf(form: FormData, name = 'file'): File {
  const file = form.get(name)
  if (!(file instanceof File)) throw new Error(`${name} is not a file.`)
  return file
}

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

const contents: [string, () => unknown][] = [
  ['bytes', () => new TextEncoder().encode('hello')],
  ['a view into a larger buffer', () => new TextEncoder().encode('--hello--').subarray(2, 7)],
  ['an ArrayBuffer', () => new TextEncoder().encode('hello').buffer],
  ['a Blob', () => new Blob(['hello'])],
  ['a web stream', () => new Blob(['hello']).stream()],
  ['an async iterable', () => chunks('hel', '', 'lo')],
  ['a described stream', () => ({ content: chunks('hello'), filename: 'f.bin', sizeBytes: 5 })],
]
it.each(contents)('R-08: %s in a form arrives as a file', async (_, make) => {
  const form = await received({ file: make() })
  expect(await fileOf(form).text()).toBe('hello')
})

it.each([
  ['of a File', new File(['x'], 'own.txt', { type: 'image/x-odd' })],
  ['that are set', { content: new Uint8Array([1]), filename: 'own.txt', contentType: 'image/x-odd' }],
])('R-08: a part of a form has the file name and media type %s', async (_, file) => {
  expect(fileOf(await received({ file }))).toMatchObject({ name: 'own.txt', type: 'image/x-odd' })
})

it('writes strings, numbers and JSON into a form as such, and an array as one field per item', async () => {
  const form = await received({
    note: ['a', 'b'],
    settings: { deep: [1] },
    pages: 3,
    on: true,
    none: undefined,
  })
  expect(form.getAll('note')).toEqual(['a', 'b'])
  expect(JSON.parse(String(form.get('settings')))).toEqual({ deep: [1] })
  expect(form.get('pages')).toBe('3')
  expect(form.get('on')).toBe('true')
  expect(form.has('none')).toBe(false)
})

it('R-07: passes extra parts of a form through, and never takes a string in them for a path', async () => {
  const form = await received({ note: 'x' }, { pipeline: 'searchable', raw: new Uint8Array([65]) })
  expect(form.get('pipeline')).toBe('searchable')
  expect(await fileOf(form, 'raw').text()).toBe('A')
})

it('R-08: no name, file name or content can break out of its part of a form', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\r', '\n', '\\', ';', '=', 'é', '-', '%') })
  await fc.assert(
    fc.asyncProperty(text, text, fc.uint8Array(), async (name, filename, content) => {
      const form = await received({ note: 'first' }, { [`p${name}`]: { content, filename }, last: 'last' })
      const names = [...form.keys()]
      expect(names).toHaveLength(3)
      const key = names[1] ?? ''
      expect(decodeName(key)).toBe(decodeName(`p${name}`))
      const file = fileOf(form, key)
      expect(decodeName(file.name)).toBe(decodeName(filename))
      expect(new Uint8Array(await file.arrayBuffer())).toEqual(content)
      expect(form.get('last')).toBe('last')
    }),
    { numRuns: 200 },
  )
})

it('R-08: does not send a media type with a line end in a form', async () => {
  const file = { content: new Uint8Array([1]), contentType: 'text/plain\r\nx-evil: 1' }
  expect(fileOf(await received({ file })).type).toBe('application/octet-stream')
})

it.each([
  ['cannot be converted to JSON', { settings: { a: 5n } }, '/body/settings'],
  ['must be a file path, bytes, a Blob or a stream', { file: 7 }, '/body/file'],
])('R-05: names a part that %s, and sends nothing', async (reason, body, path) => {
  let calls = 0
  const error = await rejection(clientFor(() => json(++calls)).send(uploadForm, { body }))
  const issues = [{ path, reason: expect.stringContaining(reason) }]
  expect(error).toMatchObject({ code: 'invalid-request', issues })
  expect(calls).toBe(0)
})

it('an error of an uploaded stream reaches the caller unchanged', async () => {
  const own = new Error('disk gone')
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array([1])
    throw own
  }
  const client = clientFor(async (request) => json(await request.text()))
  expect(await rejection(client.send(uploadForm, { body: { file: failing() } }))).toBe(own)
})

/** Not every parser unescapes names, so both sides are normalized. */
function decodeName(name: string): string {
  return name.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%22', '"')
}

const echoed = uploadForm as OperationDescriptor<{ readonly body: object }, { text: string }>
const boundaries: string[] = []

/** Responds with the uploaded file. */
const service = clientFor(async (request) => {
  boundaries.push(request.headers.get('content-type')?.split('boundary=')[1] ?? '')
  const file = (await request.formData()).get('file') as File
  return Response.json({ name: file.name, type: file.type, text: await file.text() })
})

/** A Blob as on some hosts: it can be sliced, but not read. */
class BareBlob {
  readonly size: number
  readonly type = 'text/plain'
  readonly content: string
  constructor(content: string) {
    this.content = content
    this.size = content.length
  }
  slice(start: number, end: number): BareBlob {
    return new BareBlob(this.content.slice(start, end))
  }
}

afterEach(() => void vi.unstubAllGlobals())

it('R-08: reads a Blob without a stream by a FileReader', async () => {
  class FileReader extends EventTarget {
    result: ArrayBuffer | undefined
    readAsArrayBuffer(blob: BareBlob): void {
      this.result = new TextEncoder().encode(blob.content).buffer
      setImmediate(() => this.dispatchEvent(new Event('load')))
    }
  }
  vi.stubGlobal('FileReader', FileReader)
  const text = 'x'.repeat(2 ** 20 + 5)
  const sent = await service.send(echoed, {
    body: { file: { content: new BareBlob(text), filename: 'a.txt' } },
  })
  expect(sent).toEqual({ name: 'a.txt', type: 'text/plain', text })
})

it('R-08: rejects a Blob that cannot be read, and says what to pass', async () => {
  vi.stubGlobal('FileReader', undefined)
  const error = await rejection(service.send(echoed, { body: { file: new BareBlob('x') } }))
  expect(error).toMatchObject({ code: 'invalid-options' })
  expect(String(error)).toContain('Pass the bytes of the Blob as a Uint8Array')
})

it.each([
  'new Uint8Array([104, 105])',
  'new Uint8Array([104, 105]).buffer',
  'new DataView(new Uint8Array([104, 105]).buffer)',
])('R-08: sends the bytes of `%s` of another realm', async (code) => {
  const file: unknown = runInNewContext(code)
  expect(await service.send(echoed, { body: { file } })).toMatchObject({ text: 'hi' })
})

it.each([
  ['as in React Native', undefined],
  ['or its randomUUID, as on a page without a secure origin', {}],
])('R-08: writes a form without `crypto`, %s', async (_, crypto) => {
  vi.stubGlobal('crypto', crypto)
  for (let count = 0; count < 2; count++)
    expect(await service.send(echoed, { body: { file: new Blob(['hi']) } })).toMatchObject({ text: 'hi' })
  expect(boundaries.at(-1)).toMatch(/^concord-[a-z0-9]{20,40}$/)
  expect(new Set(boundaries).size).toBe(boundaries.length)
})

it('openBinary returns the name, size and media type before the bytes are read', async () => {
  const opened = await openBinary(new File(['boat'], 'boat.png', { type: 'image/png' }), '/body/image')
  expect(opened).toMatchObject({ filename: 'boat.png', contentType: 'image/png', sizeBytes: 4 })
  expect(Buffer.concat(await collect(opened.read())).toString()).toBe('boat')
})

it('recognizes Blobs and bytes of any realm, and nothing else', () => {
  const fake = { size: 1, type: '', slice: () => undefined }
  expect(isBlob(fake)).toBe(true)
  for (const lacking of [{ size: '1' }, { type: 1 }, { slice: 1 }])
    expect(isBlob({ ...fake, ...lacking })).toBe(false)
  for (const value of [undefined, null, 'x', 7]) expect(isBlob(value)).toBe(false)
  const bytes = new Uint8Array(2)
  expect(asBytes(bytes)).toBe(bytes)
  expect(asBytes(new SharedArrayBuffer(2))).toHaveLength(2)
  expect(asBytes({ [Symbol.toStringTag]: 'ArrayBuffer-like' })).toBeUndefined()
  expect(asBytes({ [Symbol.toStringTag]: 'x[object ArrayBuffer' })).toBeUndefined()
})

it('rejects the path of an upload or a download on a host without files', async () => {
  expect(await openUpload('a.txt')).toContain('pass a Blob, bytes or a stream')
  await expect(openTarget('a.txt')).rejects.toMatchObject({ code: 'invalid-options', option: 'path' })
})

it('openBinary rejects a value without bytes, and names its place', async () => {
  const denial = await openBinary(4, '/body/image', 'paint').catch((error: unknown) => error)
  expect(denial).toMatchObject({ code: 'invalid-request', operation: 'paint' })
  expect(denial).toMatchObject({ issues: [{ path: '/body/image' }] })
  expect(String(denial)).toContain('paint: ')
  const unnamed = await openBinary(4, '/body/image').catch((error: unknown) => error)
  expect(Object.hasOwn(unnamed as object, 'operation')).toBe(false)
  expect(String(unnamed)).not.toContain('undefined')
})

it('openBinary releases a stream that is not read to its end', async () => {
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => void (cancelled = true),
  })
  for await (const chunk of (await openBinary(stream, '/body/image')).read()) if (chunk.length > 0) break
  expect(cancelled).toBe(true)
})
