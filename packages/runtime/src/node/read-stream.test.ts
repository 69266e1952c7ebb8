import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Client, createClient } from '../http/client.ts'
import { readStream } from '../http/download.ts'
import { KEY, rejection } from '../http/test-support/fixtures.ts'
import { httpServer } from './test-support/loopback.ts'

const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 253))

function clientTo(origin: string): Client {
  return createClient({
    servers: { api: origin },
    credentials: { key: { in: 'header', name: 'X-API-Key', value: KEY } },
    retry: { baseMs: 0 },
  })
}

/** Serves the content and disconnects after `cut` bytes for each entry of `cuts`. */
function serve(cuts: number[], { ranges = true } = {}) {
  const requests: IncomingMessage['headers'][] = []
  return {
    requests,
    listener(request: IncomingMessage, response: ServerResponse): void {
      requests.push(request.headers)
      const start = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
      const rest = content.subarray(start)
      const range = { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }
      response.writeHead(start > 0 ? 206 : 200, {
        etag: '"v1"',
        'content-type': 'video/mp4',
        'content-length': rest.length,
        ...(start > 0 && range),
      })
      const cut = cuts.shift()
      if (cut === undefined) response.end(rest)
      else response.write(rest.subarray(0, cut), () => response.destroy())
    },
  }
}

const bytesOf = async (body: ReadableStream<Uint8Array>): Promise<Buffer> =>
  Buffer.from(await new Response(body).arrayBuffer())

describe('R-09: a download that is read as a stream', () => {
  it('reports its media type and length, sends no credential, and is resumed after interruptions', async () => {
    const { listener, requests } = serve([100_000, 50_000])
    await using server = await httpServer(listener)
    await using client = clientTo(server.origin)
    const { body, ...about } = await readStream(client, `${server.origin}/film`)
    expect(about).toEqual({ contentType: 'video/mp4', totalBytes: content.length })
    expect(Buffer.compare(await bytesOf(body), content)).toBe(0)
    expect(requests.map(({ range }) => range)).toEqual([undefined, 'bytes=100000-', 'bytes=150000-'])
    expect(requests.filter((headers) => 'x-api-key' in headers)).toEqual([])
  })

  it('errors when it is interrupted and the server can only start over, because bytes were already read', async () => {
    const { listener } = serve([100_000], { ranges: false })
    await using server = await httpServer(listener)
    await using client = clientTo(server.origin)
    const { body } = await readStream(client, `${server.origin}/film`)
    expect(await rejection(bytesOf(body))).toMatchObject({
      code: 'download',
      failure: 'interrupted',
      bytesSoFar: 100_000,
    })
  })

  it('rejects without a stream if the link is denied', async () => {
    await using server = await httpServer((_request, response) => response.writeHead(410).end())
    await using client = clientTo(server.origin)
    expect(await rejection(readStream(client, `${server.origin}/film`))).toMatchObject({
      code: 'download',
      failure: 'expired',
    })
  })

  it('closes the connection when the reader cancels, and fetches only as much as is read', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    let written = 0
    await using server = await httpServer((_request, response) => {
      response.on('close', resolve)
      const chunk = Buffer.alloc(65_536)
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    await using client = clientTo(server.origin)
    const { body } = await readStream(client, `${server.origin}/endless`)
    const reader = body.getReader()
    expect((await reader.read()).done).toBe(false)
    await reader.cancel(new Error('enough'))
    await closed
    expect(written).toBeLessThan(64 * 1_048_576)
  })

  it('R-03: fails with the reason of the signal', async () => {
    const { listener } = serve([])
    await using server = await httpServer(listener)
    await using client = clientTo(server.origin)
    const controller = new AbortController()
    const { body } = await readStream(client, `${server.origin}/film`, { signal: controller.signal })
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await rejection(bytesOf(body))).toBe(reason)
  })
})
