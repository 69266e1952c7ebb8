import { describe, expect, it } from 'vitest'
import { openBinary } from './binary.ts'

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

  it('rejects a value without bytes by name', async () => {
    const denial = await openBinary(4, '/body/image', 'paint').catch((error: unknown) => error)
    expect(denial).toMatchObject({ code: 'invalid-request', operation: 'paint' })
    expect(denial).toMatchObject({ issues: [{ path: '/body/image' }] })
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
