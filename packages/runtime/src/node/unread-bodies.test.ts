import type { RequestListener } from 'node:http'
import { expect, it, vi } from 'vitest'
import { readStream } from '../http/download.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { fetchOf, httpServer, serving } from './test-support/loopback.ts'
import { runProgram } from './test-support/program.ts'

/** More than the transport reads ahead. */
const LARGE_BYTES = 4_000_000

const large: RequestListener = (_request, response) => response.end(Buffer.alloc(LARGE_BYTES))

it('R-02: unread bodies release their connections after `timeoutMs`', async () => {
  const clock = virtualClock({ autoAdvance: false })
  const { origin, client } = await serving(large, { connections: 2, clock, timeoutMs: 5_000 })
  const fetch = fetchOf(client, origin)
  const unread = await Promise.all([fetch('/a'), fetch('/b')])
  await clock.advance(1_000)
  const waiting = fetch('/c')
  await clock.settle()
  await clock.advance(4_000)
  expect((await (await waiting).arrayBuffer()).byteLength).toBe(LARGE_BYTES)
  const error = await rejection(unread[0]!.text())
  expect(error).toMatchObject({ code: 'timeout', limitMs: 5_000 })
  expect(String(error)).toContain('the response body was not read within 5000 ms')
})

it('R-09: unread bodies of downloads release their connections too, and a late reader still gets the whole content', async () => {
  const content = Buffer.alloc(LARGE_BYTES, 'abcdefghijk')
  const clock = virtualClock({ autoAdvance: false })
  const options = { connections: 2, clock, timeoutMs: 5_000, random: () => 0 }
  const { origin, client } = await serving((request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const range = { 'content-range': `bytes ${from}-${LARGE_BYTES - 1}/${LARGE_BYTES}` }
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"a"',
      'content-length': LARGE_BYTES - from,
      ...(from > 0 && range),
    })
    response.end(content.subarray(from))
  }, options)
  const unread = await Promise.all([1, 2].map(() => readStream(client, `${origin}/a`)))
  await clock.advance(1_000)
  const waiting = readStream(client, `${origin}/b`)
  await clock.settle()
  await clock.advance(4_000)
  await (await waiting).body.cancel()
  let late: ArrayBuffer | undefined
  void new Response(unread[0]!.body).arrayBuffer().then((read) => (late = read))
  await vi.waitFor(async () => {
    await clock.advance(1)
    expect(late).toBeDefined()
  })
  expect(Buffer.from(late!).equals(content)).toBe(true)
  await unread[1]!.body.cancel()
})

it('R-03: unread bodies end at once if canceled during a read', async () => {
  const clock = virtualClock({ autoAdvance: false })
  const { origin, client } = await serving((_request, response) => void response.write('begin'), { clock })
  const reader = (await fetchOf(client, origin)('/a')).body!.getReader()
  await reader.read()
  const waiting = reader.read()
  await reader.cancel()
  expect(await waiting).toEqual({ done: true, value: undefined })
})

it('unread bodies remain available to a late reader if they arrived whole', async () => {
  const clock = virtualClock({ autoAdvance: false })
  const listener: RequestListener = (_request, response) => response.end('small')
  const { origin, client } = await serving(listener, { clock, timeoutMs: 5_000 })
  const response = await fetchOf(client, origin)('/a')
  await clock.settle()
  await clock.advance(60_000)
  expect(await response.text()).toBe('small')
})

it('unread bodies are released on garbage collection, and do not keep a process alive', async () => {
  await using server = await httpServer(large)
  const script = `
      const { createClient } = await import('@concord/runtime')
      const { authorizedFetch } = await import('@concord/runtime/session')
      const client = createClient({ servers: { api: '${server.origin}' }, connections: 2, timeoutMs: 600_000 })
      const fetch = authorizedFetch(client, { credential: { in: 'header', name: 'x', value: 'y' },
        base: '${server.origin}', addresses: ['${server.origin}'], credentialHeaders: [] })
      const statuses = []
      for (let count = 0; count < 10; count++) {
        statuses.push((await fetch('/a')).status)
        for (let turn = 0; turn < 3; turn++) {
          await new Promise((resolve) => setImmediate(resolve))
          globalThis.gc()
        }
      }
      await new Promise((resolve) => setImmediate(resolve))
      console.log(statuses.length)`
  expect(await runProgram(script, '--expose-gc')).toBe('10')
})
