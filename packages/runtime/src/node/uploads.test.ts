import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { rejection, uploadBytes, uploadForm } from '../http/test-support/fixtures.ts'
import { httpServer, serving } from './test-support/loopback.ts'
import { runProgram } from './test-support/program.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concord-uploads-'))
  await writeFile(join(folder, 'invoice.pdf'), 'a small document')
  await mkdir(join(folder, 'inner'))
})
afterAll(() => rm(folder, { recursive: true }))

type Digesting<Body> = OperationDescriptor<{ readonly body: Body }, { sha: string; size: number }>

const own = { security: [], responses: { 200: { kind: 'json' } }, retry: { class: 'safe' } } as const

const upload = {
  ...uploadForm,
  ...own,
  body: { ...uploadForm.body!, parts: { file: { kind: 'file', contentTypes: ['application/pdf'] } } },
} as Digesting<Record<string, unknown>>

const put = {
  ...uploadBytes,
  ...own,
  method: 'PUT',
  body: { kind: 'binary', contentType: 'audio/*', required: true },
} as Digesting<unknown>

async function digest(request: IncomingMessage): Promise<{ sha: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk)
    size += chunk.length
  }
  return { sha: hash.digest('hex'), size }
}

function sha(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

it('R-08: a path uploads a file with its length, its name and the media type of the contract', async () => {
  let seen = ''
  let headers: IncomingMessage['headers'] = {}
  const { client } = await serving((request, response) => {
    headers = request.headers
    request.setEncoding('utf8').on('data', (text: string) => (seen += text))
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
  })
  await client.send(upload, { body: { file: join(folder, 'invoice.pdf') } })
  const boundary = /^multipart\/form-data; boundary=(concord-[0-9a-f-]{36})$/.exec(
    String(headers['content-type']),
  )?.[1]
  expect(seen).toBe(
    `--${boundary}\r\n` +
      'content-disposition: form-data; name="file"; filename="invoice.pdf"\r\n' +
      'content-type: application/pdf\r\n\r\n' +
      `a small document\r\n--${boundary}--\r\n`,
  )
  expect(headers['content-length']).toBe(String(Buffer.byteLength(seen)))
  expect(headers['transfer-encoding']).toBeUndefined()
})

it('R-08: a body of unknown length is sent in chunks', async () => {
  let headers: IncomingMessage['headers'] = {}
  const { client } = await serving((request, response) => {
    headers = request.headers
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
  })
  await client.send(upload, { body: { file: new Blob(['x']).stream() } })
  expect(headers['content-length']).toBeUndefined()
  expect(headers['transfer-encoding']).toBe('chunked')
})

it('R-08: a binary body is sent as plain bytes, with its own media type', async () => {
  let type: string | undefined
  const { client } = await serving(async (request, response) => {
    type = request.headers['content-type']
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await digest(request)))
  })
  const content = new Uint8Array(300_000).map((_, index) => index % 251)
  const reply = await client.send(put, { body: { content, contentType: 'audio/wav' } })
  expect(reply).toEqual({ sha: sha(content), size: content.length })
  expect(type).toBe('audio/wav')
  expect(await client.send(put, { body: join(folder, 'invoice.pdf') })).toMatchObject({ size: 16 })
  // The contract accepts any audio, but `audio/*` can't be sent as a media type.
  expect(type).toBe('application/octet-stream')
  expect(await client.send(put, { body: new Blob([content]).stream() })).toMatchObject({
    sha: sha(content),
  })
})

it('R-08: progress reports how many bytes of the whole were sent', async () => {
  const { client } = await serving(async (request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await digest(request)))
  })
  const seen: { bytesSent: number; totalBytes?: number }[] = []
  const content = new Uint8Array(1_000_000)
  const reply = await client.send(
    upload,
    { body: { file: content } },
    { onUploadProgress: (at) => seen.push(at) },
  )
  const total = reply.size
  expect(seen.at(-1)).toEqual({ bytesSent: total, totalBytes: total })
  expect(seen.length).toBeGreaterThan(10)
  const amounts = seen.map(({ bytesSent }) => bytesSent)
  expect(amounts).toEqual(amounts.toSorted((a, b) => a - b))
})

const unreadable: [string, () => string, RegExp][] = [
  ['does not exist', () => join(folder, 'nothing.pdf'), /nothing\.pdf.*doesn't exist/],
  ['is a folder', () => join(folder, 'inner'), /folder/],
  ['leads through a file', () => join(folder, 'invoice.pdf', 'x'), /ENOTDIR/],
  ['is a device', () => '/dev/null', /not a regular file/],
]
it.each(unreadable)(
  'R-08: a path that %s is a clear error, and no request is sent',
  async (_, path, reason) => {
    const { server, client } = await serving((_request, response) => response.end())
    const error = await rejection(client.send(upload, { body: { file: path() } }))
    expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path: '/body/file' }] })
    expect(String(error)).toMatch(reason)
    expect(server.connections()).toBe(0)
  },
)

it('R-08: a file of 400 MB adds at most 70 MiB to the peak of memory', async () => {
  const path = join(folder, 'large.bin')
  await writeFile(path, '')
  await truncate(path, 400_000_000)
  let received = 0
  await using server = await httpServer((request, response) => {
    request.on('data', (chunk: Buffer) => (received += chunk.length))
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
  })
  const script = `
      import { createClient } from '@concord/runtime'
      const client = createClient({ servers: { api: '${server.origin}' } })
      const operation = ${JSON.stringify(upload)}
      const peak = () => process.resourceUsage().maxRSS / 1024
      await client.send(operation, { body: { file: '${join(folder, 'invoice.pdf')}' } })
      const before = peak()
      await client.send(operation, { body: { file: '${path}' } })
      console.log(peak() - before)
      await client.close()`
  const grownMiB = Number(await runProgram(script))
  expect(received).toBeGreaterThan(400_000_000)
  expect(grownMiB).toBeLessThan(70)
})

it('R-26: a whole file is sent again after the service denied the first request', async () => {
  const seen: { sha: string; size: number }[] = []
  const { client } = await serving(async (request, response) => {
    seen.push(await digest(request))
    response.statusCode = seen.length === 1 ? 503 : 200
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await client.send(put, { body: join(folder, 'invoice.pdf') })
  expect(seen).toEqual([
    { sha: sha('a small document'), size: 16 },
    { sha: sha('a small document'), size: 16 },
  ])
})

it('R-03: an abort releases the stream of an upload that is waiting', async () => {
  const { server, client } = await serving((request) => request.resume())
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array([1])),
    cancel: () => void (cancelled = true),
  })
  const controller = new AbortController()
  const sending = rejection(client.send(put, { body: stream }, { signal: controller.signal }))
  while (server.sockets.size === 0) await new Promise((resolve) => setImmediate(resolve))
  controller.abort('enough')
  expect(await sending).toBe('enough')
  await new Promise((resolve) => setImmediate(resolve))
  expect(cancelled).toBe(true)
})

it('a response that arrives before the whole body was sent is used', async () => {
  const { client } = await serving((_request, response) => {
    response
      .writeHead(413, { 'content-type': 'application/json', connection: 'close' })
      .end('{"detail":"large"}')
  })
  const error = await rejection(client.send(upload, { body: { file: new Uint8Array(50_000_000) } }))
  expect(error).toMatchObject({ name: 'PayloadTooLargeError', body: { detail: 'large' } })
})
