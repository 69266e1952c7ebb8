import { afterEach, expect, it, vi } from 'vitest'
import { hostTurn } from '../testing/virtual-clock.ts'
import type { UploadProgress } from './call-options.ts'
import type { Client } from './client.ts'
import { fetchTransport, type FetchTransportOptions } from './fetch-transport.ts'
import { clientFor, streamOf } from './test-support/clients.ts'
import { json, rejection, uploadBytes, uploadForm } from './test-support/fixtures.ts'

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const textStream = (...chunks: readonly string[]) => streamOf(chunks.map(bytes))

/** A client on a fetch that sends no streams, and the requests that it received. */
const set = (...responses: readonly Response[]) => over({ streams: false }, ...responses)

function over(
  options: FetchTransportOptions,
  ...responses: readonly Response[]
): { client: Client; sent: RequestInit[] } {
  const sent: RequestInit[] = []
  const fetch = async (_: string, init: RequestInit): Promise<Response> => {
    sent.push(init)
    return responses[sent.length - 1] ?? json({})
  }
  const client = clientFor(fetchTransport({ fetch, ...options }))
  return { client, sent }
}

/** A form as parsed by the platform. */
function formOf({ body, headers }: RequestInit): Promise<FormData> {
  return new Response(body ?? null, { headers: headers ?? {} }).formData()
}

const textOf = (init: RequestInit | undefined): Promise<string> => new Response(init?.body ?? null).text()

afterEach(() => vi.unstubAllGlobals())

it.each([
  ['bytes', () => bytes('boat')],
  ['an ArrayBuffer', () => bytes('boat').buffer],
  ['a Blob', () => new Blob(['bo', 'at'])],
  ['a stream', () => textStream('b', 'oa', 't')],
  ['an async iterable', () => ({ content: textStream('boat'), sizeBytes: 4 })],
])('R-08: a browser sends %s as a Blob', async (_, file) => {
  const { client, sent } = set()
  await client.send(uploadForm, { body: { file: file(), note: 'hello' } })
  await client.send(uploadBytes, { body: file() })
  const [form, binary] = sent
  expect(form?.body).toBeInstanceOf(Blob)
  expect(form).not.toHaveProperty('duplex')
  const fields = await formOf(form ?? {})
  expect(await (fields.get('file') as File).text()).toBe('boat')
  expect(fields.get('note')).toBe('hello')
  expect(await textOf(binary)).toBe('boat')
})

it('R-08: a browser does not read a Blob into memory', async () => {
  const { client, sent } = set()
  const file = new Blob(['boat'])
  file.stream = () => {
    throw new Error('was read')
  }
  file.arrayBuffer = () => Promise.reject(new Error('was read'))
  await client.send(uploadBytes, { body: file })
  expect(await textOf(sent[0])).toBe('boat')
})

it('R-08: a browser reports the progress of an upload once, when the response shows that the whole body was accepted', async () => {
  const { client } = set(json({}, { status: 503 }))
  const seen: UploadProgress[] = []
  for (const body of [bytes('boat'), textStream('bo', 'at'), bytes('')])
    await client.send(uploadBytes, { body }, { onUploadProgress: (one) => seen.push(one) })
  expect(seen).toEqual([{ bytesSent: 4, totalBytes: 4 }, { bytesSent: 4 }])
})

it('R-08: a retry in a browser sends a Blob again, but not a stream', async () => {
  const busy = () => json({}, { status: 503 })
  const again = set(busy(), json({ id: 'a' }))
  expect(await again.client.send(uploadBytes, { body: new Blob(['boat']) })).toEqual({ id: 'a' })
  expect(again.sent).toHaveLength(2)
  const once = set(busy(), json({}))
  expect(await rejection(once.client.send(uploadBytes, { body: textStream('boat') }))).toMatchObject({
    status: 503,
  })
  expect(once.sent).toHaveLength(1)
})

it('R-08: an error of a stream reaches the caller in a browser, and nothing is sent', async () => {
  const { client, sent } = set()
  const reason = new RangeError('torn')
  const torn = new ReadableStream({ start: (controller) => controller.error(reason) })
  expect(await rejection(client.send(uploadBytes, { body: torn }))).toBe(reason)
  expect(sent).toEqual([])
})

it('R-08: a browser copies memory that the producer reuses or shares with threads', async () => {
  const { client, sent } = set()
  const own = new Uint8Array(2)
  async function* reusing(): AsyncGenerator<Uint8Array> {
    yield Object.assign(own, [98, 111])
    yield Object.assign(own, [97, 116])
  }
  await client.send(uploadBytes, { body: reusing() })
  expect(await textOf(sent[0])).toBe('boat')
  const shared = new Uint8Array(new SharedArrayBuffer(4))
  shared.set(bytes('boat'))
  await client.send(uploadBytes, { body: shared })
  expect(await textOf(sent[1])).toBe('boat')
})

it('R-08: an error of the progress callback in a browser reaches the caller, and nothing is sent again', async () => {
  let cancelled = 0
  const reply = new Response(new ReadableStream({ cancel: () => void cancelled++ }))
  const { client, sent } = set(reply)
  const reason = new RangeError('mine')
  const onUploadProgress = (): never => {
    throw reason
  }
  expect(await rejection(client.send(uploadBytes, { body: bytes('boat') }, { onUploadProgress }))).toBe(
    reason,
  )
  expect(sent).toHaveLength(1)
  expect(cancelled).toBe(1)
})

it('R-08: an abort in a browser cancels a stream that is being read, opens no further stream, and sends nothing', async () => {
  const { client, sent } = set()
  const abort = new AbortController()
  const cancelled = Promise.withResolvers<void>()
  const pulled = Promise.withResolvers<void>()
  const endless = new ReadableStream<Uint8Array>(
    { pull: () => pulled.resolve(), cancel: () => cancelled.resolve() },
    { highWaterMark: 0 },
  )
  let opened = 0
  const next = {
    async *[Symbol.asyncIterator]() {
      opened++
      yield bytes('never')
    },
  }
  const { signal } = abort
  const sending = rejection(client.send(uploadForm, { body: { file: [endless, next] } }, { signal }))
  await pulled.promise
  const reason = new Error('enough')
  abort.abort(reason)
  expect(await sending).toBe(reason)
  await cancelled.promise
  for (let turn = 0; turn < 20; turn++) await hostTurn()
  expect([opened, sent]).toEqual([0, []])
})

const agent = (userAgent: string) => ({ navigator: { userAgent } })
const nowhere = { versions: {} }
it.each<[string, Record<string, unknown>, boolean]>([
  ['Node', {}, true],
  ['Node with an imitated browser', { ...agent('Mozilla/5.0 jsdom/31'), document: {} }, true],
  ['a browser', { ...agent('Mozilla/5.0 (X11) Gecko/20100101'), process: undefined }, false],
  ['a browser with a polyfill for `process`', { ...agent('Mozilla/5.0'), process: nowhere }, false],
  [
    'the page of an app with its own user agent',
    { ...agent('MyApp/2'), document: {}, process: undefined },
    false,
  ],
  ['a worker of an edge runtime', { ...agent('Edge-Workers'), process: undefined }, true],
  ['a host without a name', { navigator: undefined, process: undefined }, true],
])('R-08: detects whether requests of %s can have stream bodies', async (_, globals, streams) => {
  const { client, sent } = over({})
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  await client.send(uploadBytes, { body: textStream('bo', 'at') })
  vi.unstubAllGlobals()
  expect(sent[0]?.body).toBeInstanceOf(streams ? ReadableStream : Blob)
  expect(sent[0] && 'duplex' in sent[0]).toBe(streams)
})

// A stand-in with the parts that React Native's `fetch` lacks; not React Native itself.
it('R-08: React Native sends a form as bytes, and reads a response without a stream', async () => {
  const plain = json({ id: 'i1', status: 'ready' })
  const headers = new Headers(plain.headers)
  Object.defineProperty(headers, 'getSetCookie', { value: undefined })
  const response = { status: 200, ok: true, headers, arrayBuffer: () => plain.arrayBuffer() }
  const { client, sent } = over({}, response as unknown as Response)
  vi.stubGlobal('crypto', undefined)
  const content = { size: 3, type: '', slice: () => content, arrayBuffer: async () => bytes('pdf').buffer }
  const file = { content, filename: 'a.pdf', contentType: 'application/pdf' }
  const result = await onDevice(() => client.send(uploadForm, { body: { file } }))
  expect(result).toMatchObject({ id: 'i1' })
  const form = sent[0]?.body as Uint8Array
  expect(form).toBeInstanceOf(Uint8Array)
  expect(new TextDecoder().decode(form)).toContain(
    'filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\npdf',
  )
  expect(sent[0]).not.toHaveProperty('duplex')
})

/** A FormData as React Native has it: no bytes, and files as addresses that the host reads when it sends the form. */
class NativeFormData {
  readonly parts: [string, unknown][] = []
  append(name: string, value: unknown): void {
    const isFile = typeof value === 'object' && value !== null && ('uri' in value || 'string' in value)
    if (typeof value !== 'string' && !isFile) throw new TypeError(`no native form takes ${typeof value}`)
    this.parts.push([name, value])
  }
}

const partsOf = ({ body }: Pick<RequestInit, 'body'>) => (body as unknown as NativeFormData).parts

function onDevice<Result>(run: () => Promise<Result>): Promise<Result> {
  vi.stubGlobal('navigator', { product: 'ReactNative' })
  vi.stubGlobal('process', undefined)
  vi.stubGlobal('FormData', NativeFormData)
  return run().finally(() => vi.unstubAllGlobals())
}

it('R-08: React Native sends the file of a picker with the form of the host, again after a 503', async () => {
  const { client, sent } = over({}, json({}, { status: 503 }), json({ id: 'i1' }))
  const file = { uri: 'content://media/7', name: 'a.pdf', type: 'application/pdf' }
  const result = await onDevice(() => client.send(uploadForm, { body: { file, note: 'hello' } }))
  expect(result).toEqual({ id: 'i1' })
  expect(sent).toHaveLength(2)
  for (const { body = null, headers } of sent) {
    expect(partsOf({ body })).toEqual([
      ['file', file],
      ['note', 'hello'],
    ])
    // Only the host knows the boundary.
    expect(new Headers(headers).has('content-type')).toBe(false)
  }
})

it('R-08: React Native names a file of a picker after its address, and sends its media type by its name', async () => {
  const { client, sent } = over({})
  const file = { uri: 'file:///tmp/scan%201.jpg?v=2', name: null }
  await onDevice(() => client.send(uploadForm, { body: { file } }))
  expect(partsOf(sent[0]!)).toEqual([['file', { uri: file.uri, name: 'scan%201.jpg', type: 'image/jpeg' }]])
})

it('R-08: React Native sends the file of a picker as a body, read by the fetch of the host', async () => {
  const { client, sent } = over({})
  const content = new Blob(['boat'])
  const read = async (uri: string) => ({
    blob: async () => (uri === 'file:///a.wav' ? content : undefined),
  })
  vi.stubGlobal('fetch', read)
  await onDevice(() => client.send(uploadBytes, { body: { uri: 'file:///a.wav', type: 'audio/wav' } }))
  expect(sent[0]?.body).toBe(content)
  expect(new Headers(sent[0]?.headers).get('content-type')).toBe('audio/wav')
})

it('R-08: rejects bytes beside the file of a picker, and such a file on other hosts, with what to do', async () => {
  const { client, sent } = over({})
  const picked = { uri: 'file:///a.pdf' }
  const mixed = await onDevice(() =>
    rejection(client.send(uploadForm, { body: { file: [picked, bytes('b')] } })),
  )
  expect(String(mixed)).toContain(
    'must be { uri, name, type }, because another field of the form is a React Native file',
  )
  for (const call of [
    client.send(uploadForm, { body: { file: picked } }),
    client.send(uploadBytes, { body: picked }),
  ])
    expect(String(await rejection(call))).toContain(
      'in other environments, pass a file path, bytes, a Blob or a stream',
    )
  expect(sent).toEqual([])
})
