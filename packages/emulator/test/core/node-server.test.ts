import { expect, it } from 'vitest'

import { serveOverHttp } from '../../src/core/node-server.ts'

const serve = (dispatch: (request: Request) => Promise<Response>) =>
  serveOverHttp({ dispatch, failure: () => new Response(null, { status: 500 }) }, '127.0.0.1', 0)

it('a request is aborted if its caller disconnects, and only then', async () => {
  const signals: AbortSignal[] = []
  const server = await serve(async ({ url, signal }) => {
    signals.push(signal)
    if (!url.endsWith('/stall')) return new Response('done')
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  await (await fetch(server.url)).text()
  const aborter = new AbortController()
  const stalled = fetch(`${server.url}/stall`, { signal: aborter.signal })
  while (signals.length < 2) await new Promise((resolve) => setImmediate(resolve))
  const aborted = new Promise((resolve) => signals[1]?.addEventListener('abort', resolve))
  aborter.abort()
  await expect(stalled).rejects.toThrow()
  await aborted
  expect(signals.map((signal) => signal.aborted)).toEqual([false, true])
  await server.close()
})

it('headers, including repeated ones, and a body arrive as they were sent', async () => {
  const server = await serve(async (request) =>
    Response.json({ body: await request.text(), header: request.headers.get('x-list') }, { status: 201 }),
  )
  const headers = new Headers([
    ['x-list', 'a'],
    ['x-list', 'b'],
  ])
  const response = await fetch(server.url, { method: 'PUT', headers, body: 'hello' })
  expect([response.status, await response.json()]).toEqual([201, { body: 'hello', header: 'a, b' }])
  await server.close()
})
