import zlib from 'node:zlib'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import type { ClientOptions } from '../http/client-options.ts'
import { type Client } from '../http/client.ts'
import { openDecoder as openWebDecoder } from '../http/decoders.ts'
import { download, readText } from '../http/download.ts'
import { fetchTransport } from '../http/fetch-transport.ts'
import { stream } from '../http/stream.ts'
import { createItem, getItem, listItems, rejection } from '../http/test-support/fixtures.ts'
import type { Transport } from '../http/transport.ts'
import { memoryTransport } from '../testing/transports.ts'
import { openDecoder } from './decoders.ts'
import { temporaryFolder } from './test-support/folder.ts'
import { fetchOf, serving } from './test-support/loopback.ts'
import { nodeTransport } from './transport.ts'

let folder = ''
beforeEach(async () => void (folder = await temporaryFolder()))

const text = JSON.stringify({ id: 'a', status: 'done', note: 'grüße, 日本語 🌍 '.repeat(8_000) })

const brotli = (content: Uint8Array): Uint8Array =>
  zlib.brotliCompressSync(content, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } })

const encoders: Readonly<Record<string, (content: Uint8Array) => Uint8Array>> = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: brotli,
  zstd: zlib.zstdCompressSync,
  'gzip, br': (content) => brotli(zlib.gzipSync(content)),
  identity: (content) => content,
}

const { types: _, ...plain } = listItems
const base = { ...plain, security: [] }
const getText: OperationDescriptor<object, string> = {
  ...base,
  responses: { 200: { kind: 'text' } },
}
const getFile: OperationDescriptor<object, Blob> = { ...base, responses: { 200: { kind: 'binary' } } }

/** Every way to read the body of a response, with its content as text. */
const ways: Readonly<Record<string, (client: Client, origin: string) => Promise<string>>> = {
  JSON: async (client) => JSON.stringify(await client.send(getItem, { path: { item_id: 'a' } })),
  text: (client) => client.send(getText, {}),
  file: async (client) => (await client.send(getFile, {})).text(),
  stream: async (client) => new Response((await stream(client, getFile, {})).body).text(),
  readText: (client, origin) => readText(client, `${origin}/a`),
  download: async (client, origin) => {
    await download(client, `${origin}/a`, join(folder, 'a'))
    return readFile(join(folder, 'a'), 'utf8')
  },
  'authorized fetch': async (client, origin) => (await fetchOf(client, origin)(`${origin}/a`)).text(),
}

/** A client whose service responds to every request with the same bytes, and the content codings that it was asked for. */
async function clientOf(
  transport: string,
  headers: Record<string, string>,
  body: Uint8Array,
  options: Partial<ClientOptions> = {},
) {
  const asked = new Set<unknown>()
  const transports: Record<string, () => Transport> = {
    undici: () => nodeTransport(),
    fetch: () => fetchTransport(),
    memory: () => memoryTransport(() => new Response(body as Uint8Array<ArrayBuffer>, { headers })),
  }
  const { client, origin } = await serving(
    (request, response) => {
      asked.add(request.headers['accept-encoding'])
      response.writeHead(200, { ...headers, 'content-length': body.length }).end(body)
    },
    { transport: transports[transport]!(), retry: { maxAttempts: 1 }, ...options },
  )
  return { client, origin, asked }
}

const json = { 'content-type': 'application/json' }

describe.each(['undici', 'fetch', 'memory'])('content codings over %s', (transport) => {
  it.each(Object.keys(encoders))('R-04: a body in %s is decoded in every way to read it', async (coding) => {
    const body = encoders[coding]!(Buffer.from(text))
    const { client, origin } = await clientOf(transport, { ...json, 'content-encoding': coding }, body)
    for (const [way, read] of Object.entries(ways))
      expect([way, await read(client, origin)]).toEqual([way, text])
  })

  it('R-04: a client decodes a raw deflate stream, which some servers send', async () => {
    const body = zlib.deflateRawSync(text)
    const { client, origin } = await clientOf(transport, { ...json, 'content-encoding': 'deflate' }, body)
    expect(await ways['JSON']!(client, origin)).toBe(text)
  })

  it.each(['compress', 'dcz', 'gzip, compress'])(
    'R-04: a client rejects the content coding %s by name in every way to read it',
    async (coding) => {
      const body = zlib.gzipSync(text)
      const { client, origin } = await clientOf(transport, { ...json, 'content-encoding': coding }, body)
      for (const [way, read] of Object.entries(ways)) {
        const error = await rejection(read(client, origin))
        expect([way, error]).toMatchObject([way, { code: 'unexpected-content', status: 200 }])
        expect(String(error)).toContain(
          `content coding ${JSON.stringify(coding)}, which this client cannot decode`,
        )
      }
    },
  )

  it('R-04: a client ignores the content coding of an empty body', async () => {
    const headers = { 'content-encoding': 'compress' }
    const { client, origin } = await clientOf(transport, headers, new Uint8Array(0))
    expect(await client.send(getText, {})).toBe('')
    expect(await readText(client, `${origin}/a`)).toBe('')
  })
})

describe.each(['undici', 'memory'])('broken content codings over %s', (transport) => {
  it.each(['gzip', 'deflate', 'br', 'zstd'])(
    'R-04: a client reports a body in %s that is cut short as a lost connection',
    async (coding) => {
      const whole = encoders[coding]!(Buffer.from(text))
      const body = whole.subarray(0, whole.length - 8)
      const { client, origin } = await clientOf(transport, { ...json, 'content-encoding': coding }, body)
      for (const read of [ways['JSON']!, ways['stream']!, ways['download']!])
        expect(await rejection(read(client, origin))).toMatchObject({
          message: expect.stringMatching(/cut short|interrupted|bytes/),
        })
    },
  )

  it.each(['gzip', 'zstd'])(
    'R-04: a client rejects a body that is not %s although its header says so',
    async (coding) => {
      const body = Buffer.from(text)
      const { client, origin } = await clientOf(transport, { ...json, 'content-encoding': coding }, body)
      for (const read of Object.values(ways)) {
        const error = await rejection(read(client, origin))
        expect(error).toMatchObject({ code: 'unexpected-content' })
        expect(String(error)).toContain(`the body is not valid ${coding}`)
      }
    },
  )

  it.each(['gzip', 'br', 'zstd'])(
    'R-04: a bomb in %s costs no more than maxResponseBytes',
    async (coding) => {
      const body = encoders[coding]!(Buffer.alloc(60_000_000))
      expect(body.length).toBeLessThan(100_000)
      const headers = { 'content-encoding': coding }
      const limits = { maxResponseBytes: 1_000_000 }
      const { client, origin } = await clientOf(transport, headers, body, limits)
      const before = process.memoryUsage().external
      const error = await rejection(client.send(getText, {}))
      expect(String(error)).toContain('more than 1000000 bytes (`maxResponseBytes`)')
      expect(process.memoryUsage().external - before).toBeLessThan(20_000_000)
      const target = join(folder, 'bomb')
      expect(await rejection(download(client, origin, target, { maxBytes: 500_000 }))).toMatchObject({
        failure: 'too-large',
      })
      // Nothing is decompressed ahead of the reader, so leaving the loop ends it.
      const reader = (await fetchOf(client, origin)(origin)).body!.getReader()
      expect((await reader.read()).value!.length).toBeLessThan(1_000_000)
      await reader.cancel()
    },
  )
})

it('R-04: a client accepts compressed JSON and text, but asks for plain files, ranges and downloads', async () => {
  const { client, origin, asked } = await clientOf('undici', json, Buffer.from(text))
  const told = async (read: () => Promise<unknown>): Promise<unknown[]> => {
    asked.clear()
    await read()
    return [...asked]
  }
  expect(await told(() => ways['JSON']!(client, origin))).toEqual(['gzip, br'])
  expect(await told(() => ways['text']!(client, origin))).toEqual(['gzip, br'])
  expect(await told(() => ways['file']!(client, origin))).toEqual(['identity'])
  expect(await told(() => ways['download']!(client, origin))).toEqual(['identity'])
  expect(await told(() => ways['authorized fetch']!(client, origin))).toEqual(['gzip, br'])
  const ranged = fetchOf(client, origin)(origin, { headers: { range: 'bytes=0-9' } })
  expect(await told(async () => (await ranged).text())).toEqual(['identity'])
})

it('R-04: a client asks for the content codings that the caller names, and decodes them', async () => {
  const body = zlib.zstdCompressSync(text)
  const { client, asked } = await clientOf('undici', { 'content-encoding': 'zstd' }, body)
  const headers = { 'accept-encoding': 'zstd' }
  expect(await client.send(getText, {}, { extra: { headers } })).toBe(text)
  expect([...asked]).toEqual(['zstd'])
})

it('R-04: over fetch, the host asks for the content codings that it can decode', async () => {
  const { client, origin, asked } = await clientOf('fetch', json, Buffer.from(text))
  await ways['JSON']!(client, origin)
  expect([...asked]).toEqual(['gzip, deflate'])
})

it('R-21: the error of a submission whose response cannot be decoded has its status', async () => {
  const body = Buffer.from('?')
  const { client } = await clientOf('undici', { ...json, 'content-encoding': 'compress' }, body)
  const error = await rejection(client.send(createItem, { body: {} }))
  expect(error).toMatchObject({ status: 200 })
})

describe.each([
  ['of Node', openDecoder, 20],
  // The stream of the host keeps some of its input.
  ['of the web platform', openWebDecoder, 500],
])('decoders %s', (_, open, ahead) => {
  it.each(['gzip', 'deflate', 'br', 'zstd'])(
    'R-04: decoders decode %s no matter how it is split',
    async (coding) => {
      const decode = open(coding)
      // Hosts differ in the formats of their DecompressionStream.
      if (decode === undefined) return expect(['br', 'zstd']).toContain(coding)
      const body = encoders[coding]!(Buffer.from(text.slice(0, 5_000)))
      for (const size of [1, 7, 4_096]) {
        const source = async function* () {
          for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
        }
        const pieces = []
        for await (const piece of decode(source())) pieces.push(piece)
        expect(Buffer.concat(pieces).toString()).toBe(text.slice(0, 5_000))
      }
    },
  )

  it('R-04: decoders read only as far as asked, and release the source when the reader leaves', async () => {
    const decode = open('gzip')!
    const body = zlib.gzipSync(Buffer.alloc(50_000_000))
    let taken = 0
    let left = false
    const source = async function* () {
      try {
        for (; taken * 100 < body.length; taken++) yield body.subarray(taken * 100, (taken + 1) * 100)
      } finally {
        left = true
      }
    }
    for await (const piece of decode(source())) {
      expect(piece.length).toBeGreaterThan(0)
      break
    }
    expect(taken).toBeLessThan(ahead)
    expect(left).toBe(true)
  })

  it('R-04: decoders pass on a failure of the source unchanged', async () => {
    const failure = new Error('lost')
    const source = async function* () {
      yield zlib.gzipSync(text).subarray(0, 50)
      throw failure
    }
    const reading = async (): Promise<void> => {
      for await (const _piece of open('gzip')!(source()));
    }
    expect(await rejection(reading())).toBe(failure)
  })
})
