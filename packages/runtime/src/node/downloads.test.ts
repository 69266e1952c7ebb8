import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, it } from 'vitest'
import { createClient } from '../http/client.ts'
import { download, downloadInto, readBlob, readStream, readText } from '../http/download.ts'
import { fetchTransport } from '../http/fetch-transport.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { memoryTransport } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { temporaryFolder } from './test-support/folder.ts'
import { serving } from './test-support/loopback.ts'

let folder = ''
beforeEach(async () => void (folder = await temporaryFolder()))

const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 253))

/** Serves the content to a client, by default with ranges; disconnects after `cut` bytes for each entry of `cuts`. */
async function serveContent(
  cuts: number[] = [],
  headers: Record<string, string> = { etag: '"v1"' },
  { ranges = true } = {},
) {
  const requests: IncomingMessage['headers'][] = []
  const { origin, client } = await serving((request, response) => {
    requests.push(request.headers)
    const start = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
    const rest = content.subarray(start)
    const range =
      start > 0 ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}
    response.writeHead(start > 0 ? 206 : 200, { ...headers, ...range, 'content-length': rest.length })
    const cut = cuts.shift()
    if (cut === undefined) response.end(rest)
    else response.write(rest.subarray(0, cut), () => response.destroy())
  })
  return { origin, client, requests }
}

it('R-04: downloads keep nothing of content whose media type the caller does not accept', async () => {
  const { origin, client, requests } = await serveContent([], { 'content-type': 'text/html' })
  const target = join(folder, 'film')
  await writeFile(target, 'old')
  const accepts = (type: string | undefined): boolean => type !== 'text/html'
  const error = await rejection(download(client, `${origin}/film`, target, { accepts }))
  expect(error).toMatchObject({ code: 'unexpected-content', status: 200, contentType: 'text/html' })
  expect(await readFile(target, 'utf8')).toBe('old')
  expect(await readdir(folder)).toEqual(['film'])
  expect(requests).toHaveLength(1)
})

it('R-09: downloads are written next to the target and renamed when complete', async () => {
  const during: string[][] = []
  const { origin, client } = await serveContent([], { 'content-type': 'video/mp4' })
  const path = join(folder, 'film.mp4')
  const onProgress = (): void => void readdir(folder).then((names) => during.push(names))
  const done = await download(client, `${origin}/film?signature=abc`, path, { onProgress })
  expect(done).toEqual({ path, sizeBytes: content.length, contentType: 'video/mp4' })
  expect(await readFile(path)).toEqual(content)
  expect(during[0]).not.toContain('film.mp4')
  expect(await readdir(folder)).toEqual(['film.mp4'])
})

it('R-09: downloads can create a folder, and a name that depends on the media type', async () => {
  const { origin, client } = await serveContent([100_000], { etag: '"v1"', 'content-type': 'video/mp4' })
  const into = join(folder, 'new', 'films')
  const done = await downloadInto(client, origin, into, {
    nameBy: (type) => `film.${type?.split('/')[1]}`,
  })
  expect(done.path).toBe(join(into, 'film.mp4'))
  expect(await readFile(done.path)).toEqual(content)
  expect(await readdir(into)).toEqual(['film.mp4'])
})

it.each(['', '.', '..', 'a/b', 'a\\b'])(
  'downloads never leave their folder through the name %j',
  async (name) => {
    const { origin, client } = await serveContent()
    const into = join(folder, 'films')
    const error = await rejection(downloadInto(client, origin, into, { nameBy: () => name }))
    expect(error).toMatchObject({ code: 'invalid-options', option: 'nameBy' })
    expect(await readdir(into)).toEqual([])
  },
)

it('a folder that cannot be written is an error of the option `folder`', async () => {
  const { origin, client } = await serveContent()
  const file = join(folder, 'not-a-folder')
  await writeFile(file, '')
  const error = await rejection(downloadInto(client, origin, file, { nameBy: () => 'a' }))
  expect(error).toMatchObject({ code: 'invalid-options', option: 'folder' })
  expect((error as Error).message).toContain(`\`folder\` ${JSON.stringify(file)} cannot be written`)
})

const date = new Date().toUTCString()
it.each([
  ['resume content with an entity tag', { etag: '"v1"' }, ['bytes=100000-', '"v1"']],
  ['start over content without a validator', {}, [undefined, undefined]],
  ['start over content with a weak validator', { etag: 'W/"v1"' }, [undefined, undefined]],
  [
    'start over content with a date as recent as the response, which proves nothing',
    { 'last-modified': date, date },
    [undefined, undefined],
  ],
])('R-09: after an interruption, downloads %s', async (_, headers, second) => {
  const { origin, client, requests } = await serveContent([100_000], headers)
  await download(client, `${origin}/a`, join(folder, 'a'))
  expect(await readFile(join(folder, 'a'))).toEqual(content)
  const sent = requests.map((request) => [request.range, request['if-range']])
  expect(sent).toEqual([[undefined, undefined], second])
})

it('R-09: downloads are resumed more often than maxAttempts if each attempt makes progress', async () => {
  const { origin, client, requests } = await serveContent([50_000, 50_000, 50_000, 50_000, 50_000])
  await download(client, `${origin}/a`, join(folder, 'a'))
  expect(await readFile(join(folder, 'a'))).toEqual(content)
  expect(requests).toHaveLength(6)
})

it.each([
  ['the server cannot resume', 416],
  ['the server returns another part', 206],
  ['the content has changed in the meantime', 200],
])('R-09: downloads start over if %s', async (_what, status) => {
  let count = 0
  const { origin, client } = await serving((request, response) => {
    if (++count === 1) {
      response.writeHead(200, { etag: '"v1"', 'content-length': 1000 })
      response.write('old'.repeat(100), () => response.destroy())
    } else if (request.headers.range !== undefined && status !== 200) {
      response.writeHead(status, { 'content-range': 'bytes 5-9/10' }).end('?????')
    } else response.writeHead(200, { etag: '"v2"' }).end('the new content')
  })
  await download(client, `${origin}/a`, join(folder, 'a'))
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('the new content')
})

it('R-09: over fetch, which decodes, downloads do not take the length of an encoded body for that of the content', async () => {
  const encoded = gzipSync('text '.repeat(1000))
  const { origin, client } = await serving(
    (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': encoded.length }).end(encoded)
    },
    { transport: fetchTransport() },
  )
  expect(await readText(client, `${origin}/a`)).toBe('text '.repeat(1000))
})

it('R-09: downloads that stay interrupted report how much arrived, and leave no file behind', async () => {
  const { origin, client } = await serveContent([100_000, 0, 0, 0, 0])
  await writeFile(join(folder, 'a'), 'was here before')
  const error = await rejection(download(client, `${origin}/a`, join(folder, 'a')))
  expect(error).toMatchObject({ code: 'download', failure: 'interrupted', bytesSoFar: 100_000 })
  expect(await readdir(folder)).toEqual(['a'])
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('was here before')
})

it.each([
  [401, '<Error/>', 'denied'],
  [403, '<Error><Code>AccessDenied</Code></Error>', 'denied'],
  [403, '<Error><Message>Request has expired</Message></Error>', 'expired'],
  [400, '<Error><Code>ExpiredToken</Code></Error>', 'expired'],
  [404, '', 'missing'],
  [410, '', 'expired'],
])('R-09: a link that is denied with %i and %j is reported as %s', async (status, body, failure) => {
  const { origin, client } = await serving((_request, response) => response.writeHead(status).end(body))
  const error = await rejection(download(client, `${origin}/a?sig=s3cr3t-sig`, join(folder, 'a')))
  expect(error).toMatchObject({ code: 'download', failure, status, bytesSoFar: 0 })
  expect(String(error)).toContain('Get a new link')
  expect(JSON.stringify(error) + String(error)).not.toContain('s3cr3t-sig')
})

const earlier = 'Mon, 06 Jul 2026 10:00:00 GMT'
const whole = { etag: '"v1"', 'content-length': '1000' }
it.each<[string, Record<string, string>, Record<string, string>]>([
  ['another entity tag', whole, { etag: '"v2"', 'content-range': 'bytes 300-999/1000' }],
  ['no entity tag', whole, { 'content-range': 'bytes 300-999/1000' }],
  ['another length', whole, { etag: '"v1"', 'content-range': 'bytes 300-1999/2000' }],
  ['another start', whole, { etag: '"v1"', 'content-range': 'bytes 200-999/1000' }],
  ['several ranges', whole, { etag: '"v1"', 'content-type': 'multipart/byteranges; boundary=x' }],
  [
    'a content coding',
    whole,
    { etag: '"v1"', 'content-range': 'bytes 300-999/1000', 'content-encoding': 'gzip' },
  ],
  [
    'another date',
    { 'last-modified': earlier, 'content-length': '1000' },
    { 'last-modified': 'Mon, 06 Jul 2026 11:00:00 GMT', 'content-range': 'bytes 300-999/1000' },
  ],
])('R-09: downloads never append the rest of different content: a 206 with %s', async (_, first, rest) => {
  const ranges: unknown[] = []
  const { origin, client } = await serving((request, response) => {
    ranges.push(request.headers.range)
    if (ranges.length === 1) {
      response.writeHead(200, first)
      response.write('a'.repeat(300), () => response.destroy())
    } else if (request.headers.range === undefined) {
      response.writeHead(200, { etag: '"v2"', 'content-length': 1000 }).end('b'.repeat(1000))
    } else response.writeHead(206, rest).end('b'.repeat(700))
  })
  await download(client, origin, join(folder, 'a'))
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('b'.repeat(1000))
  expect(ranges).toEqual([undefined, 'bytes=300-', undefined])
})

it('R-09: downloads resume by an old date, even if the partial response has none', async () => {
  const ranges: unknown[] = []
  const { origin, client } = await serving((request, response) => {
    ranges.push(request.headers['if-range'])
    if (ranges.length === 1) {
      response.writeHead(200, { 'last-modified': earlier, 'content-length': '1000' })
      response.write('a'.repeat(300), () => response.destroy())
    } else response.writeHead(206, { 'content-range': 'bytes 300-999/1000' }).end('a'.repeat(700))
  })
  await download(client, origin, join(folder, 'a'))
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('a'.repeat(1000))
  expect(ranges).toEqual([undefined, earlier])
})

it('R-09: downloads end eventually if a server sends one byte at a time and disconnects', async () => {
  const { origin, client, requests } = await serveContent(Array<number>(100).fill(1))
  const error = await rejection(download(client, origin, join(folder, 'a')))
  expect(error).toMatchObject({ failure: 'interrupted', bytesSoFar: 3 })
  expect(requests).toHaveLength(3)
})

it('R-09: downloads reject a name that is too long for a file before the download', async () => {
  // The content itself never comes.
  const { origin, client } = await serving((_request, response) => {
    response.writeHead(200, { 'content-length': content.length }).flushHeaders()
  })
  const long = 'x'.repeat(300)
  for (const starting of [
    () => download(client, origin, join(folder, long)),
    () => downloadInto(client, origin, folder, { nameBy: () => long }),
  ]) {
    const error = await rejection(starting())
    expect(error).toMatchObject({ code: 'invalid-options', option: 'path' })
    expect(String(error)).toContain('its name is too long')
  }
  expect(await readdir(folder)).toEqual([])
})

it('R-09: downloads accept a name as long as the system allows', async () => {
  const { origin, client } = await serveContent()
  const path = join(folder, 'x'.repeat(255))
  await download(client, origin, path)
  expect(await readFile(path)).toEqual(content)
})

it('R-09: downloads verify the length and the digest', async () => {
  const { origin, client } = await serveContent()
  const url = `${origin}/a`
  const sha256 = createHash('sha256').update(content).digest('hex')
  await download(client, url, join(folder, 'a'), { sha256: sha256.toUpperCase() })
  const error = await rejection(download(client, url, join(folder, 'b'), { sha256: '0'.repeat(64) }))
  expect(error).toMatchObject({ failure: 'checksum', bytesSoFar: content.length })
  expect(await readdir(folder)).toEqual(['a'])
})

it('R-09: downloads reject content above maxBytes, announced or not', async () => {
  const announced = await serveContent()
  const unannounced = await serving((_request, response) => {
    response.writeHead(200)
    for (let piece = 0; piece < 3; piece++) response.write(content)
    response.end()
  })
  for (const { origin, client } of [announced, unannounced]) {
    const error = await rejection(download(client, `${origin}/a`, join(folder, 'a'), { maxBytes: 1000 }))
    expect(error).toMatchObject({ failure: 'too-large' })
  }
  expect(await readdir(folder)).toEqual([])
})

it('R-10: downloads send no credential and no header of the client to a signed URL, even after a redirect', async () => {
  const storage = await serveContent()
  const { requests } = storage
  const { origin, client } = await serving(
    (request, response) => {
      requests.push(request.headers)
      response.writeHead(302, { location: `${storage.origin}/final` }).end()
    },
    { headers: { 'x-own': 'own-header' } },
  )
  await download(client, `${origin}/a`, join(folder, 'a'))
  expect(requests).toHaveLength(2)
  for (const headers of requests)
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host'])
})

it('R-10: downloads do not follow a redirect away from https', async () => {
  const seen: string[] = []
  const transport = memoryTransport((request) => {
    seen.push(request.url)
    return new Response('text', { status: 302, headers: { location: 'http://other.test/' } })
  })
  const client = createClient({ servers: { api: 'https://service.test' }, transport })
  expect(await rejection(readText(client, 'https://storage.test/a'))).toMatchObject({
    code: 'http',
    status: 302,
  })
  expect(seen).toEqual(['https://storage.test/a'])
})

it('R-10: downloads give up on endless redirects', async () => {
  const { origin, client } = await serving((_request, response) =>
    response.writeHead(302, { location: '/again' }).end(),
  )
  expect(await rejection(readText(client, `${origin}/a`))).toMatchObject({
    code: 'http',
    status: 302,
  })
})

it('R-09: downloads reject an unknown option before the first request', async () => {
  let asked = 0
  const { origin, client } = await serving((_request, response) => response.end(String(++asked)))
  const url = `${origin}/a`
  const options = { maxByte: 1 } as object
  for (const denied of [
    download(client, url, join(folder, 'a'), options),
    downloadInto(client, url, folder, { ...options, nameBy: () => 'a' }),
    readText(client, url, options),
    readBlob(client, url, options),
    readBlob(client, url, { sha256: 'ab' } as object),
  ])
    expect(await rejection(denied)).toMatchObject({
      code: 'invalid-options',
      option: expect.stringMatching(/^(maxByte|sha256)$/),
    })
  expect(asked).toBe(0)
  expect(await readdir(folder)).toEqual([])
})

it('R-09: downloads reject a path that cannot be written before the first request', async () => {
  const { server, origin, client } = await serving((_request, response) => response.end())
  for (const path of [folder, join(folder, 'no', 'such'), `${folder}/`, '']) {
    expect(await rejection(download(client, `${origin}/a`, path))).toMatchObject({ option: 'path' })
  }
  const missing = join(folder, 'no', 'such')
  expect(await rejection(download(client, `${origin}/a`, missing))).toMatchObject({
    message: expect.stringContaining(
      `${JSON.stringify(missing)} cannot be written: its folder does not exist`,
    ),
  })
  expect(await rejection(download(client, 'file:///etc/passwd', join(folder, 'a')))).toMatchObject({
    option: 'url',
  })
  expect(server.connections()).toBe(0)
})

it('R-02: downloads treat a silence longer than timeoutMs as an interruption, and end at the deadline', async () => {
  const clock = virtualClock({ autoAdvance: false })
  let asked = 0
  const { origin, client } = await serving(
    (_request, response) => {
      asked++
      response.writeHead(200, { etag: '"v1"' })
      response.write('begin')
    },
    { clock, timeoutMs: 1000, retry: { baseMs: 0 } },
  )
  const url = `${origin}/a`
  let received = 0
  const onProgress = ({ bytesReceived }: { bytesReceived: number }): void => void (received = bytesReceived)
  const running = rejection(download(client, url, join(folder, 'a'), { deadline: 1500, onProgress }))
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise((resolve) => setImmediate(resolve))
    await clock.settle()
  }
  await until(() => received > 0)
  await clock.advance(1000)
  await clock.runToNextTimer()
  await until(() => asked > 1)
  await clock.advance(500)
  expect(await running).toMatchObject({ code: 'deadline', limitMs: 1500, elapsedMs: 1500 })
})

it('R-03: an abort ends a download at once and leaves no file behind', async () => {
  const { origin, client } = await serving((_request, response) => {
    response.writeHead(200)
    response.write('begin')
  })
  const controller = new AbortController()
  const onProgress = (): void => controller.abort('enough')
  const { signal } = controller
  expect(await rejection(download(client, `${origin}/a`, join(folder, 'a'), { signal, onProgress }))).toBe(
    'enough',
  )
  expect(await readdir(folder)).toEqual([])
})

it('readText reads the whole content, up to a limit', async () => {
  const text = 'ü'.repeat(100_001)
  const { origin, client } = await serving((_request, response) => response.end(text))
  expect(await readText(client, `${origin}/text`)).toBe(text)
  const error = await rejection(readText(client, `${origin}/text`, { maxBytes: 1000 }))
  expect(error).toMatchObject({ failure: 'too-large' })
})

it('R-04: readText rejects content that is not UTF-8', async () => {
  const { origin, client } = await serving((_request, response) => response.end(Buffer.of(0x61, 0xff, 0x62)))
  const error = await rejection(readText(client, origin))
  expect(error).toMatchObject({ code: 'unexpected-content' })
  expect(String(error)).toContain('is not text in UTF-8')
  expect((await readBlob(client, origin)).size).toBe(3)
})

it('a limit of `undefined` means the limit of the client', async () => {
  const { origin, client } = await serving((_request, response) => response.end('x'.repeat(2000)), {
    maxResponseBytes: 1000,
  })
  const options = { maxBytes: undefined } as object
  for (const read of [readText, readBlob])
    expect(await rejection(read(client, origin, options))).toMatchObject({ failure: 'too-large' })
})

const film = { etag: '"v1"', 'content-type': 'video/mp4' }

const bytesOf = async (body: ReadableStream<Uint8Array>): Promise<Buffer> =>
  Buffer.from(await new Response(body).arrayBuffer())

it('R-09: a download that is read as a stream reports its media type and length, sends no credential, and is resumed after interruptions', async () => {
  const { origin, client, requests } = await serveContent([100_000, 50_000], film)
  const { body, ...about } = await readStream(client, `${origin}/film`)
  expect(about).toEqual({ contentType: 'video/mp4', totalBytes: content.length })
  expect(Buffer.compare(await bytesOf(body), content)).toBe(0)
  expect(requests.map(({ range }) => range)).toEqual([undefined, 'bytes=100000-', 'bytes=150000-'])
  expect(requests.filter((headers) => 'x-api-key' in headers)).toEqual([])
})

it('R-09: a download that is read as a stream errors when it is interrupted and the server can only start over, because bytes were already read', async () => {
  const { origin, client } = await serveContent([100_000], film, { ranges: false })
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
