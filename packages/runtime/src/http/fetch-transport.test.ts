import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readBlob } from './download.ts'
import { type Fetch, fetchTransport } from './fetch-transport.ts'
import { stream } from './stream.ts'
import { clientFor, cutShort } from './test-support/clients.ts'
import { getItem, input, item, json, listItems, rejection, uploadBytes } from './test-support/fixtures.ts'

const text = JSON.stringify(item)
const bytes = new TextEncoder().encode(text)

const over = (fetch: Fetch, options: object = {}) =>
  clientFor(() => json({}), { transport: fetchTransport({ fetch }), retry: { maxAttempts: 1 }, ...options })

/** The stream of a response of the host. */
function opened(response: Response) {
  const client = over(async () => response)
  return stream(client, getItem, input)
}

/** A response as a host's `fetch` makes it. */
function hosted(body: BodyInit | null, headers: Record<string, string> = {}, other: object = {}): Response {
  const response = new Response(body, { headers: { 'content-type': 'application/json', ...headers } })
  for (const [name, value] of Object.entries(other)) Object.defineProperty(response, name, { value })
  return response
}

it('the transport over fetch sends its own headers, and leaves compression to a host that decodes', async () => {
  const seen: string[][][] = []
  const fetch: Fetch = async (_, init) => {
    seen.push(init.headers as string[][])
    return hosted(text)
  }
  await over(fetch).send(getItem, input)
  expect(seen[0]?.map(([name]) => name)).toEqual(['accept', 'x-api-key'])
  const client = clientFor((request) => json([...request.headers]))
  expect(await client.send(listItems, {})).toEqual([
    ['accept', 'application/json'],
    ['accept-encoding', 'gzip, br'],
    ['x-api-key', expect.any(String)],
  ])
  const binary = { ...listItems, responses: { 200: { kind: 'binary' } } } as const
  await over(fetch).send(binary, {})
  expect(seen[1]).toContainEqual(['accept-encoding', 'identity'])
})

it('R-10: the transport over fetch follows no redirects, and one that a browser hides is an error of 302', async () => {
  const seen: RequestInit[] = []
  const hidden = over(async (_, init) => {
    seen.push(init)
    return hosted(null, {}, { type: 'opaqueredirect', status: 0 })
  })
  expect(await rejection(hidden.send(getItem, input))).toMatchObject({ status: 302 })
  expect(seen).toMatchObject([{ redirect: 'manual', credentials: 'omit' }])
})

it('R-21: a failure of fetch says how far the request got, and why', async () => {
  const cause = { message: 'cut' }
  const refused = await rejection(over(() => Promise.reject(new Error('cut'))).send(getItem, input))
  expect(refused).toMatchObject({ code: 'connection', phase: 'connect', sent: 'maybe', cause })
  const lost = { code: 'connection', phase: 'receive', sent: 'yes', cause }
  expect(await rejection(over(async () => hosted(cutShort(bytes))).send(getItem, input))).toMatchObject(lost)
  const { body } = await opened(hosted(cutShort(bytes)))
  expect(await rejection(new Response(body).text())).toMatchObject(lost)
})

it('R-04: a body may be exactly as long as maxResponseBytes, also on a host without streams', async () => {
  for (const other of [{}, { body: undefined }]) {
    const sized = (maxResponseBytes: number) =>
      over(async () => hosted(text, {}, other), { maxResponseBytes }).send(getItem, input)
    expect(await sized(bytes.length)).toEqual(item)
    expect(await rejection(sized(bytes.length - 1))).toMatchObject({
      code: 'unexpected-content',
      status: 200,
      contentType: 'application/json',
    })
  }
})

it('R-04: a download has its content on a host without streams, too', async () => {
  const client = over(async () => hosted(text, {}, { body: undefined }))
  expect(await (await readBlob(client, 'https://files.test/a')).text()).toBe(text)
})

it('the headers of a response keep several cookies apart', async () => {
  for (const cookies of [[], ['a=1'], ['a=1', 'b=2, c']]) {
    const headers = new Headers({ 'content-type': 'application/json' })
    for (const cookie of cookies) headers.append('set-cookie', cookie)
    const exchange = await clientFor(() => new Response(text, { headers })).exchange(getItem, input)
    expect(exchange.headers.getSetCookie()).toEqual(cookies)
  }
})

it('R-04: the transport over fetch knows which codings a host has decoded', async () => {
  const coded = zstdCompressSync(bytes)
  for (const [body, coding] of [
    [() => text, undefined],
    [() => text, 'gzip'],
    [() => text, 'br, X-GZIP'],
    [() => text, 'zstd'],
    [() => coded, 'zstd'],
  ] as const) {
    const fetch = async () => hosted(body(), coding === undefined ? {} : { 'content-encoding': coding })
    expect(await over(fetch).send(getItem, input)).toEqual(item)
    const { body: streamed } = await stream(over(fetch), getItem, input)
    expect(await new Response(streamed).text()).toBe(text)
  }
  const unknown = async () => hosted(text, { 'content-encoding': 'gzip, odd' })
  expect(await rejection(over(unknown).send(getItem, input))).toMatchObject({ code: 'unexpected-content' })
})

it('R-09: a page cannot see whether the length of content from another origin is exact', async () => {
  const short = { 'content-length': '3' }
  const hidden = over(async () => hosted(text, short, { type: 'cors' }))
  expect((await readBlob(hidden, 'https://files.test/a')).size).toBe(bytes.length)
  const own = over(async () => hosted(text, short, { type: 'basic' }))
  expect(await rejection(readBlob(own, 'https://files.test/a'))).toMatchObject({ failure: 'checksum' })
  const exposed = over(async () => hosted(text, { ...short, 'content-encoding': 'gzip' }, { type: 'cors' }))
  expect((await readBlob(exposed, 'https://files.test/a')).size).toBe(bytes.length)
})

it('R-03: the transport over fetch closes the connection of a body that is not read to its end', async () => {
  let closed = 0
  const endless = () =>
    new ReadableStream({ pull: (each) => each.enqueue(bytes), cancel: () => void closed++ })
  const { body } = await opened(hosted(endless()))
  const reader = body.getReader()
  await reader.read()
  await reader.cancel()
  expect(closed).toBe(1)
  const empty = await opened(hosted(null))
  expect(await new Response(empty.body).text()).toBe('')
})

it('R-03: the transport over fetch ends an upload that the service stops reading', async () => {
  let isEnded = false
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield bytes
    } finally {
      isEnded = true
    }
  }
  const client = clientFor(async (request) => {
    const reader = request.body!.getReader()
    await reader.read()
    await reader.cancel()
    return json(item)
  })
  expect(await client.send(uploadBytes, { body: endless() })).toEqual(item)
  expect(isEnded).toBe(true)
})

const gzip = (count: number) =>
  Array.from({ length: count }).reduce<Buffer>((all) => gzipSync(all), Buffer.from(text))
const answering = (body: Uint8Array<ArrayBuffer> | ReadableStream, coding: string) =>
  clientFor(() => hosted(body as BodyInit, { 'content-encoding': coding }), { retry: { maxAttempts: 1 } })

it('R-04: removes the content codings of a response if there are at most three', async () => {
  expect(await answering(gzip(1) as never, 'X-GZip, ,identity').send(getItem, input)).toEqual(item)
  expect(await answering(gzip(3) as never, 'gzip, gzip, gzip').send(getItem, input)).toEqual(item)
  const four = await rejection(answering(gzip(4) as never, 'gzip,gzip,gzip,gzip').send(getItem, input))
  expect(String(four)).toContain('content coding "gzip, gzip, gzip, gzip", which this client cannot decode')
})

it('R-04: names content codings that are unknown, at a limited length', async () => {
  const odd = await rejection(answering(bytes, 'y'.repeat(200)).send(getItem, input))
  expect(odd).toMatchObject({ code: 'unexpected-content', status: 200 })
  expect(String(odd)).toContain(`the content coding "${'y'.repeat(80)}", which`)
})

it('R-21: an encoded body that was cut short is a lost connection', async () => {
  const lost = { code: 'connection', phase: 'receive', sent: 'yes' }
  const cut = gzip(1).subarray(0, -9)
  const short = await rejection(answering(cut as never, 'gzip').send(getItem, input))
  expect(short).toMatchObject({ ...lost, cause: expect.any(Error) })
  expect(await rejection(answering(cutShort(cut), 'gzip').send(getItem, input))).toMatchObject(lost)
})
