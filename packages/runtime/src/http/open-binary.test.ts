import { describe, expect, it } from 'vitest'
import { asBytes, isBlob, openBinary } from './binary.ts'
import { openTarget, openUpload } from './no-files.ts'

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

describe('opening bytes for a flow', () => {
  it.each<[string, () => unknown]>([
    ['bytes', () => new TextEncoder().encode('boat')],
    ['a Blob', () => new Blob(['boat'])],
    ['a stream', () => new Blob(['boat']).stream()],
  ])('reads %s', async (_, input) => {
    expect(await text((await openBinary(input(), '/body/image')).read())).toBe('boat')
  })

  it('reports the size and media type before the bytes are read', async () => {
    const blob = new File(['boat'], 'boat.png', { type: 'image/png' })
    expect(await openBinary(blob, '/body/image')).toMatchObject({
      filename: 'boat.png',
      contentType: 'image/png',
      sizeBytes: 4,
    })
  })

  it('takes only values of the right form for a Blob or bytes', () => {
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

  it('rejects a path on a host without files', async () => {
    expect(await openUpload('a.txt')).toContain('pass a Blob, bytes or a stream')
    await expect(openTarget('a.txt')).rejects.toMatchObject({ code: 'invalid-options', option: 'path' })
  })

  it('rejects a value without bytes by name', async () => {
    const denial = await openBinary(4, '/body/image', 'paint').catch((error: unknown) => error)
    expect(denial).toMatchObject({ code: 'invalid-request', operation: 'paint' })
    expect(denial).toMatchObject({ issues: [{ path: '/body/image' }] })
    expect(String(denial)).toContain('paint: ')
    const unnamed = await openBinary(4, '/body/image').catch((error: unknown) => error)
    expect(Object.hasOwn(unnamed as object, 'operation')).toBe(false)
    expect(String(unnamed)).not.toContain('undefined')
  })

  it('releases a stream that is not read to its end', async () => {
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: () => void (cancelled = true),
    })
    for await (const chunk of (await openBinary(stream, '/body/image')).read()) if (chunk.length > 0) break
    expect(cancelled).toBe(true)
  })
})
