import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { clientFor, createItem, rejection } from './test-support/fixtures.ts'

const { body: _, check: __, types: ___, ...base } = createItem
const upload: OperationDescriptor<{ readonly body: object }, { name: string; type: string; text: string }> = {
  ...base,
  body: {
    kind: 'multipart',
    contentType: 'multipart/form-data',
    required: true,
    parts: { file: { kind: 'file' } },
  },
}

const boundaries: string[] = []

/** Responds with the uploaded file. */
const client = clientFor(async (request) => {
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

describe('bytes of other realms and hosts', () => {
  it('R-08: a Blob without a stream is read by a FileReader', async () => {
    class FileReader extends EventTarget {
      result: ArrayBuffer | undefined
      readAsArrayBuffer(blob: BareBlob): void {
        this.result = new TextEncoder().encode(blob.content).buffer
        setImmediate(() => this.dispatchEvent(new Event('load')))
      }
    }
    vi.stubGlobal('FileReader', FileReader)
    const text = 'x'.repeat(2 ** 20 + 5)
    const sent = await client.send(upload, {
      body: { file: { content: new BareBlob(text), filename: 'a.txt' } },
    })
    expect(sent).toEqual({ name: 'a.txt', type: 'text/plain', text })
  })

  it('R-08: a Blob that cannot be read is an error that says what to pass', async () => {
    vi.stubGlobal('FileReader', undefined)
    const error = await rejection(client.send(upload, { body: { file: new BareBlob('x') } }))
    expect(error).toMatchObject({ code: 'invalid-options' })
    expect(String(error)).toContain('Pass its bytes as a Uint8Array')
  })

  it.each([
    'new Uint8Array([104, 105])',
    'new Uint8Array([104, 105]).buffer',
    'new DataView(new Uint8Array([104, 105]).buffer)',
  ])('R-08: %s of another realm is bytes', async (code) => {
    const file: unknown = runInNewContext(code)
    expect(await client.send(upload, { body: { file } })).toMatchObject({ text: 'hi' })
  })

  it('R-08: a form is written without `crypto`, as in React Native', async () => {
    vi.stubGlobal('crypto', undefined)
    expect(await client.send(upload, { body: { file: new Blob(['hi']) } })).toMatchObject({ text: 'hi' })
  })

  it('R-08: a form is written on a page without a secure origin, where `crypto` has no randomUUID', async () => {
    vi.stubGlobal('crypto', {})
    expect(await client.send(upload, { body: { file: new Blob(['hi']) } })).toMatchObject({ text: 'hi' })
    await client.send(upload, { body: { file: new Blob(['hi']) } })
    expect(boundaries.at(-1)).toMatch(/^concord-[a-z0-9]{20,40}$/)
    expect(new Set(boundaries).size).toBe(boundaries.length)
  })
})
