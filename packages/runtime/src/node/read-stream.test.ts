import { expect, it } from 'vitest'
import { readStream } from '../http/download.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { content, serveContent } from './test-support/content.ts'
import { serving } from './test-support/loopback.ts'

const headers = { etag: '"v1"', 'content-type': 'video/mp4' }

const bytesOf = async (body: ReadableStream<Uint8Array>): Promise<Buffer> =>
  Buffer.from(await new Response(body).arrayBuffer())

it('R-09: a download that is read as a stream reports its media type and length, sends no credential, and is resumed after interruptions', async () => {
  const { origin, client, requests } = await serveContent([100_000, 50_000], headers)
  const { body, ...about } = await readStream(client, `${origin}/film`)
  expect(about).toEqual({ contentType: 'video/mp4', totalBytes: content.length })
  expect(Buffer.compare(await bytesOf(body), content)).toBe(0)
  expect(requests.map(({ range }) => range)).toEqual([undefined, 'bytes=100000-', 'bytes=150000-'])
  expect(requests.filter((headers) => 'x-api-key' in headers)).toEqual([])
})

it('R-09: a download that is read as a stream errors when it is interrupted and the server can only start over, because bytes were already read', async () => {
  const { origin, client } = await serveContent([100_000], headers, { ranges: false })
  const { body } = await readStream(client, `${origin}/film`)
  expect(await rejection(bytesOf(body))).toMatchObject({
    code: 'download',
    failure: 'interrupted',
    bytesSoFar: 100_000,
  })
})

it('R-09: a download that is read as a stream rejects without a stream if the link is denied', async () => {
  const { origin, client } = await serving((_request, response) => response.writeHead(410).end())
  expect(await rejection(readStream(client, `${origin}/film`))).toMatchObject({
    code: 'download',
    failure: 'expired',
  })
})

it('R-09: a download that is read as a stream closes the connection when the reader cancels, and fetches only as much as is read', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let written = 0
  const { origin, client } = await serving((_request, response) => {
    response.on('close', resolve)
    const chunk = Buffer.alloc(65_536)
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  const { body } = await readStream(client, `${origin}/endless`)
  const reader = body.getReader()
  expect((await reader.read()).done).toBe(false)
  await reader.cancel(new Error('enough'))
  await closed
  expect(written).toBeLessThan(64 * 1_048_576)
})

it('R-03: a download that is read as a stream fails with the reason of the signal', async () => {
  const { origin, client } = await serveContent()
  const controller = new AbortController()
  const { body } = await readStream(client, `${origin}/film`, { signal: controller.signal })
  const reason = new Error('enough')
  controller.abort(reason)
  expect(await rejection(bytesOf(body))).toBe(reason)
})
