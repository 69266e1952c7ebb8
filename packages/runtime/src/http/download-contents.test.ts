import { getEventListeners } from 'node:events'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { MemoryHandler } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { contentOf, continues, denialOf, type OpenedUrl } from './download-run.ts'
import { download, downloadInto, type DownloadProgress, readBlob, readStream, readText } from './download.ts'
import { clientFor, cutShort, openBody, streamOf } from './test-support/clients.ts'
import { rejection } from './test-support/fixtures.ts'

const LINK = 'https://files.test/a'
const bytes = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(length).fill(97)

/** A client whose server returns these responses in turn; the last one is repeated. */
function scene(...responses: readonly [...(() => Response | Promise<Response>)[]]) {
  const requests: Request[] = []
  const handler: MemoryHandler = (request) => {
    requests.push(request)
    return (responses[requests.length - 1] ?? responses.at(-1)!)()
  }
  const clock = virtualClock()
  const client = clientFor(handler, {
    clock: { ...clock, monotonic: () => clock.monotonic() + 5_000 },
    retry: { maxAttempts: 4 },
  })
  const seen = (name: string) => requests.map(({ headers }) => headers.get(name))
  return { client, clock, handler, requests, seen }
}

const of =
  (content: BodyInit | null, headers: Record<string, string> = {}, status = 200) =>
  () =>
    new Response(content, { status, headers })

it('readBlob returns the content of a link with its media type, and readText its text', async () => {
  const audio = await readBlob(scene(of('abc', { 'content-type': 'audio/mpeg' })).client, LINK)
  expect([audio.type, await audio.text()]).toEqual(['audio/mpeg', 'abc'])
  expect((await readBlob(scene(of(bytes(3))).client, LINK)).type).toBe('')
  expect(Object.keys(await readStream(scene(of(bytes(3))).client, LINK))).toEqual(['body'])
  expect(await readText(scene(of('\uFEFFabc')).client, LINK)).toBe('abc')
  const broken = scene(of(Uint8Array.of(0xff), { 'content-type': 'text/plain' }))
  const error = await rejection(readText(broken.client, LINK))
  expect(error).toMatchObject({ operation: 'readText', status: 200, contentType: 'text/plain' })
  expect((error as { headers: Headers }).headers).toBeInstanceOf(Headers)
  expect(await rejection(readText(scene(of(Uint8Array.of(0xff))).client, LINK))).toMatchObject({
    contentType: '',
  })
})

it('R-09: resumes a download after a failure in between, but only if bytes of it have arrived', async () => {
  const headers = { etag: '"a"', 'content-length': '30' }
  const { client, seen } = scene(
    () => new Response(cutShort(), { headers }),
    () => new Response(cutShort(bytes(20)), { headers }),
    of('busy', {}, 503),
    of(bytes(10), { etag: '"a"', 'content-range': 'bytes 20-29/30' }, 206),
  )
  expect((await readBlob(client, LINK)).size).toBe(30)
  expect(seen('range')).toEqual([null, null, 'bytes=20-', 'bytes=20-'])
  expect(seen('if-range')).toEqual([null, null, '"a"', '"a"'])
})

it('R-09: a download shorter than announced was interrupted, and a longer one is an error', async () => {
  const short = scene(() => new Response(streamOf([bytes(5)]), { headers: { 'content-length': '10' } }))
  const interrupted = await rejection(readBlob(short.client, LINK))
  expect(interrupted).toMatchObject({
    failure: 'interrupted',
    bytesSoFar: 5,
    cause: { code: 'connection' },
  })
  expect(short.requests).toHaveLength(4)
  const long = scene(() => new Response(streamOf([bytes(15)]), { headers: { 'content-length': '10' } }))
  expect(await rejection(readBlob(long.client, LINK))).toMatchObject({
    failure: 'checksum',
    bytesSoFar: 15,
  })
  expect(long.requests).toHaveLength(1)
  const never = scene(() => Promise.reject(new Error('cut')))
  expect(await rejection(readBlob(never.client, LINK))).toMatchObject({ code: 'connection' })
})

it('R-04: a download with a content coding has no known length, and is not resumed', async () => {
  const coded = gzipSync(bytes(5_000))
  const headers = { 'content-encoding': 'gzip', 'content-length': `${coded.length}`, etag: '"a"' }
  const { handler, seen } = scene(
    () => new Response(cutShort(coded.subarray(0, -10)), { headers }),
    () => new Response(streamOf([coded]), { headers }),
  )
  const progress: DownloadProgress[] = []
  // Decoding takes real time.
  const blob = await readBlob(clientFor(handler), LINK, { onProgress: (each) => progress.push(each) })
  expect(blob.size).toBe(5_000)
  expect(progress.at(-1)).toStrictEqual({ bytesReceived: 5_000 })
  expect(seen('range')).toEqual([null, null])
})

it('R-09: a download may be exactly as long as maxBytes, and the progress has its length if it was announced', async () => {
  const pieces = () => streamOf([bytes(2), bytes(3)])
  const progress: DownloadProgress[] = []
  const onProgress = (each: DownloadProgress): void => void progress.push(each)
  const options = { maxBytes: 5, onProgress }
  expect((await readBlob(scene(() => new Response(pieces())).client, LINK, options)).size).toBe(5)
  const announced = scene(() => new Response(pieces(), { headers: { 'content-length': '5' } }))
  expect((await readBlob(announced.client, LINK, options)).size).toBe(5)
  expect(progress).toStrictEqual([
    { bytesReceived: 2 },
    { bytesReceived: 5 },
    { bytesReceived: 2, totalBytes: 5 },
    { bytesReceived: 5, totalBytes: 5 },
  ])
})

it('does not read content that is not wanted, and closes its connection', async () => {
  const long = { 'content-length': '5', 'content-type': 'text/html' }
  for (const [status, headers, options, expected] of [
    [
      200,
      long,
      { maxBytes: 4 },
      { failure: 'too-large', message: expect.stringContaining('the content has 5 bytes') },
    ],
    [200, long, { accepts: () => false }, { code: 'unexpected-content', operation: 'download' }],
    [500, {}, {}, { name: 'ServerError', status: 500 }],
    [501, {}, {}, { name: 'ServerError', status: 501 }],
    [409, { 'x-id': '7' }, {}, { name: 'ApiError', status: 409 }],
    [302, { location: 'http://[' }, {}, { name: 'ApiError', status: 302 }],
    [302, { location: 'http://files.test/' }, {}, { name: 'ApiError', status: 302 }],
  ] as const) {
    const { client, requests } = scene(() => new Response(openBody(bytes(5)).body, { status, headers }))
    const error = await rejection(readBlob(client, LINK, options))
    expect(error).toMatchObject(expected)
    if (status !== 200) {
      expect((error as { headers: Headers }).headers.get('x-id')).toBe(status === 409 ? '7' : null)
    }
    expect(requests[0]?.signal.aborted).toBe(true)
  }
})

it('R-10: a download follows redirects only from a 3xx, and discards their bodies', async () => {
  const moved = () => new Response(openBody(bytes(1)).body, { status: 300, headers: { location: '/b' } })
  const { client, requests } = scene(moved, of('here', { location: '/c' }))
  expect(await readText(client, LINK)).toBe('here')
  expect(requests.map(({ url }) => url)).toEqual([LINK, 'https://files.test/b'])
  expect(requests[0]?.signal.aborted).toBe(true)
  const denied = scene(of('', { location: '/b' }, 400))
  expect(await rejection(readText(denied.client, LINK))).toMatchObject({ status: 400 })
  expect(denied.requests).toHaveLength(1)
  const plain = scene(of('', { location: 'http://files.test/b' }, 302), of('here'))
  expect(await readText(plain.client, 'http://files.test/a')).toBe('here')
  const odd = scene(of('', { location: 'ftp://files.test/b' }, 302), of('here'))
  expect(await rejection(readText(odd.client, 'http://files.test/a'))).toMatchObject({ status: 302 })
})

it('R-03: an abort during a redirect ends the download, and leaves no listener behind', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const { client, requests } = scene(() => {
    controller.abort('enough')
    return new Response('', { status: 302, headers: { location: '/b' } })
  })
  expect(await rejection(readText(client, LINK, { signal }))).toBe('enough')
  expect(requests).toHaveLength(1)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  const other = new AbortController()
  const lost = scene(() => Promise.reject(new Error('cut')))
  await rejection(readText(lost.client, LINK, { signal: other.signal }))
  expect(getEventListeners(other.signal, 'abort')).toHaveLength(0)
})

it('R-02: the headers of a download have to arrive within timeoutMs, and a deadline leaves no timer behind', async () => {
  const silent = scene(() => new Promise<Response>(() => undefined))
  const late = rejection(readText(silent.client, LINK, { timeoutMs: 1000 }))
  expect(await late).toMatchObject({ code: 'timeout', limitMs: 1000 })
  expect(silent.clock.elapsedMs).toBe(4000)
  const { client, clock } = scene(of('x'))
  expect(await readText(client, LINK, { deadline: 500 })).toBe('x')
  expect(clock.timers).toBe(0)
})

it('rejects a wrong option or link of a download before a request', async () => {
  const { client, requests } = scene(of('x'))
  for (const [call, option] of [
    [() => readText(client, 'ftp://files.test/a'), 'url'],
    [() => readText(client, 'xhttps://files.test/a'), 'url'],
    [() => readText(client, 'httpsx://files.test/a'), 'url'],
    [() => readText(client, '/a'), 'url'],
    [() => readStream(client, LINK, { odd: 1 } as never), 'odd'],
    [() => download(client, LINK, 7 as never), 'path'],
    [() => downloadInto(client, LINK, 'a', {} as never), 'nameBy'],
    [() => downloadInto(client, LINK, '', { nameBy: () => 'a' }), 'folder'],
    [() => downloadInto(client, LINK, 7 as never, { nameBy: () => 'a' }), 'folder'],
  ] as const) {
    expect(await rejection(call())).toMatchObject({ code: 'invalid-options', option })
  }
  expect(requests).toHaveLength(0)
})

function opened(
  status: number,
  headers: Record<string, string>,
  encoded: OpenedUrl['encoded'] = 'no',
  pieces: string[] = [],
): OpenedUrl {
  async function* text(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield new TextEncoder().encode(piece)
    if (pieces.length > 0) throw new Error('cut')
  }
  return { status, headers, encoded, body: text(), discard: () => undefined }
}

const content = { validator: '"a"', totalBytes: 30, exact: true, contentType: undefined }
const rest = { 'content-range': 'bytes 20-29/30', etag: '"a"' }
const longer = { ...rest, 'content-range': 'bytes 20-29/31' }
const { etag: _, ...untagged } = rest

it.each([
  [true, opened(206, { ...rest, 'content-range': 'Bytes 20-29/*' }), content],
  [false, opened(200, rest), content],
  [true, opened(206, longer), { ...content, exact: false }],
  [true, opened(206, longer), { ...content, totalBytes: undefined }],
  [false, opened(206, { ...rest, 'content-range': 'x bytes 20-29/30' }), content],
  [false, opened(206, { ...rest, 'content-range': 'bytes 20-29/30, 40-49/50' }), content],
  [true, opened(206, untagged), { ...content, validator: 'odd"' }],
  [true, opened(206, untagged), { ...content, validator: undefined }],
])(
  'RFC 9110, section 15.3.7: a partial response is the rest of the content: %s (%#)',
  (expected, response, whole) => {
    expect(continues(response, whole, 20)).toBe(expected)
  },
)

it('R-09: the content of a download has a length and a validator only if they are certain', () => {
  const date = new Date(Date.UTC(2026, 0, 2)).toUTCString()
  const modified = (ageMs: number): string => new Date(Date.UTC(2026, 0, 2) - ageMs).toUTCString()
  expect(contentOf(opened(200, { 'content-length': '30', etag: '"a"' }))).toEqual(content)
  expect(contentOf(opened(200, { 'content-length': '30' }, 'unknown'))).toMatchObject({
    totalBytes: 30,
    exact: false,
  })
  for (const length of ['x30', '30x', '', '-3']) {
    expect(contentOf(opened(200, { 'content-length': length })).totalBytes).toBeUndefined()
  }
  const dated = (ageMs: number) =>
    contentOf(opened(200, { etag: 'W/"a"', date, 'last-modified': modified(ageMs) })).validator
  expect([dated(60_000), dated(59_000)]).toEqual([modified(60_000), undefined])
})

const late = `${'x'.repeat(4_095)} expired`
it.each([
  [undefined, 399, ['expired']],
  ['expired', 400, ['exp', 'ired']],
  ['expired', 403, [late.slice(1_000)]],
  ['denied', 403, [late]],
  ['denied', 403, ['x'.repeat(4_096), 'expired']],
  [undefined, 400, ['no']],
  [undefined, 402, ['no']],
  [undefined, 429, ['expired']],
  [undefined, 499, ['no']],
  [undefined, 500, ['expired']],
  [undefined, 501, ['expired']],
])('R-09: the failure of a download is %s (%i %j)', async (failure, status, pieces) => {
  expect((await denialOf(opened(status, {}, 'no', pieces)))?.[0]).toBe(failure)
})

it('R-09: the body of a denied link is read only as far as a reason may be', async () => {
  let reads = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield bytes(++reads > 9 ? 0 : 2_048)
  }
  await denialOf({ ...opened(404, {}), body: endless() })
  expect(reads).toBe(2)
})
