import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { clientFor, createItem, json, rejection } from './test-support/fixtures.ts'

const item = { id: 'a', status: 'queued' }

const upload: OperationDescriptor<{ readonly body: Record<string, unknown> }, unknown> = {
  ...createItem,
  id: 'upload',
  path: '/v1/upload',
  body: {
    kind: 'multipart',
    contentType: 'multipart/form-data',
    required: true,
    parts: {
      file: { kind: 'file', contentTypes: ['application/pdf', 'image/jpeg'] },
      note: { kind: 'text' },
      settings: { kind: 'json' },
    },
  },
}

/** A form as a server reads it with the platform's own parser. */
async function received(body: Record<string, unknown>, parts?: Record<string, unknown>): Promise<FormData> {
  let form: FormData | undefined
  const client = clientFor(async (request) => {
    form = await request.formData()
    return json(item)
  })
  await client.send(upload, { body }, parts === undefined ? {} : { extra: { parts } })
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

describe('forms', () => {
  const contents: [string, () => unknown][] = [
    ['bytes', () => new TextEncoder().encode('hello')],
    ['a view into a larger buffer', () => new TextEncoder().encode('--hello--').subarray(2, 7)],
    ['an ArrayBuffer', () => new TextEncoder().encode('hello').buffer],
    ['a Blob', () => new Blob(['hello'])],
    ['a web stream', () => new Blob(['hello']).stream()],
    ['an async iterable', () => chunks('hel', '', 'lo')],
    ['a described stream', () => ({ content: chunks('hello'), filename: 'f.bin', sizeBytes: 5 })],
  ]
  it.each(contents)('R-08: %s arrives as a file', async (_, make) => {
    const form = await received({ file: make() })
    expect(await fileOf(form).text()).toBe('hello')
  })

  it('R-08: file name and media type can be set', async () => {
    const content = new Uint8Array([1])
    const form = await received({ file: { content, filename: 'scan.pdf', contentType: 'image/x-odd' } })
    expect(fileOf(form)).toMatchObject({ name: 'scan.pdf', type: 'image/x-odd' })
  })

  it('R-08: the media type follows from the file name, among those that the contract accepts', async () => {
    const content = new Uint8Array([1])
    const type = async (filename: string) => fileOf(await received({ file: { content, filename } })).type
    expect(await type('scan.pdf')).toBe('application/pdf')
    expect(await type('scan.JPG')).toBe('image/jpeg')
    expect(await type('scan.png')).toBe('application/octet-stream')
    expect(await type('scan')).toBe('application/octet-stream')
  })

  it('R-08: a File keeps its name and type', async () => {
    const form = await received({ file: new File(['x'], 'own.txt', { type: 'text/plain' }) })
    expect(fileOf(form)).toMatchObject({ name: 'own.txt', type: 'text/plain' })
  })

  it('writes strings, numbers and JSON as such, and an array as one field per item', async () => {
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

  it('R-07: passes extra parts through, and never takes a string in them for a path', async () => {
    const form = await received({ note: 'x' }, { pipeline: 'searchable', raw: new Uint8Array([65]) })
    expect(form.get('pipeline')).toBe('searchable')
    expect(await fileOf(form, 'raw').text()).toBe('A')
  })

  it('R-08: no name, file name or content can break out of its part', async () => {
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

  it('R-08: does not send a media type with a line end', async () => {
    const file = { content: new Uint8Array([1]), contentType: 'text/plain\r\nx-evil: 1' }
    expect(fileOf(await received({ file })).type).toBe('application/octet-stream')
  })

  it('R-05: names a part that cannot be converted to JSON, and sends nothing', async () => {
    const error = await rejection(clientFor(() => json(item)).send(upload, { body: { settings: { a: 5n } } }))
    expect(error).toMatchObject({
      code: 'invalid-request',
      issues: [{ path: '/body/settings', reason: expect.stringContaining('cannot be converted to JSON') }],
    })
  })

  it('R-05: names a part that cannot be read, and sends nothing', async () => {
    let calls = 0
    const client = clientFor(() => json(++calls))
    const error = await rejection(client.send(upload, { body: { file: 7 } }))
    expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path: '/body/file' }] })
    expect(calls).toBe(0)
  })

  it('a stream that does not have its announced length fails the call with the reason', async () => {
    const client = clientFor(async (request) => json(await request.text()))
    const short = { content: chunks('hello'), sizeBytes: 6 }
    expect(await rejection(client.send(upload, { body: { file: short } }))).toMatchObject({
      option: 'sizeBytes',
    })
    const long = { content: chunks('hello'), sizeBytes: 4 }
    expect(await rejection(client.send(upload, { body: { file: long } }))).toMatchObject({
      option: 'sizeBytes',
    })
  })

  it('an error of the stream reaches the caller unchanged', async () => {
    const own = new Error('disk gone')
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array([1])
      throw own
    }
    const client = clientFor(async (request) => json(await request.text()))
    expect(await rejection(client.send(upload, { body: { file: failing() } }))).toBe(own)
  })
})

/** Not every parser unescapes names, so both sides are normalized. */
function decodeName(name: string): string {
  return name.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%22', '"')
}
