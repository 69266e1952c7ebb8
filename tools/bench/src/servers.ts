import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

import { completedJob, submission, transcript } from './contract.ts'
import { answerQuestions, type Child, startChild } from './processes.ts'
import type { RowContext } from './row.ts'

const SERVERS = { jobs: serveJobs, uploads: serveUploads, sockets: serveSockets } as const

/** Starts a server in a separate process, which ends when the returned object is disposed. */
export function startServer(kind: keyof typeof SERVERS, context: Pick<RowContext, 'pin'>): Child {
  return startChild(import.meta.filename, { role: 'server', context, args: [kind] })
}

export const API_KEY = 'bench-key'

export interface JobAddress {
  readonly baseUrl: string
  readonly jobId: string
  readonly apiKey: string
}

export async function jobAddress(server: Child): Promise<JobAddress> {
  const port = await server.ask<number>('port')
  return { baseUrl: `http://127.0.0.1:${port}`, jobId: String(completedJob()['id']), apiKey: API_KEY }
}

/**
 * Serves jobs. For the id of the contract's example, the server returns the example's completed job. For any other
 * id, the job is in progress until the nth poll. The parent process sets n by asking `prepare`.
 */
async function serveJobs(): Promise<void> {
  const job = completedJob()
  const jobId = String(job['id'])
  const completed = jsonResponse('200 OK', job)
  const processing = jsonResponse('200 OK', { id: jobId, status: 'processing' })
  const unauthorized = jsonResponse('401 Unauthorized', { detail: 'The key is missing or wrong.' })
  const unknown = jsonResponse('404 Not Found', { detail: 'There is no such operation.' })
  const line = /^GET \/v1\/jobs\/([0-9a-f-]{36}) HTTP\/1\.1\r\n/
  const key = new RegExp(`\\r\\nx-api-key: ${API_KEY}(\\r\\n|$)`, 'i')
  let pollsToCompletion = 1
  const polls = new Map<string, number>()

  const server = await startRawServer((head) => {
    const id = line.exec(head)?.[1]
    if (id === undefined) return unknown
    if (!key.test(head)) return unauthorized
    if (id === jobId) return completed
    const count = (polls.get(id) ?? 0) + 1
    polls.set(id, count)
    // The id can be overwritten in place, because all ids have the same length.
    const reply = Buffer.from(count < pollsToCompletion ? processing : completed)
    reply.write(id, reply.indexOf(jobId), 'latin1')
    return reply
  })

  answerQuestions({
    port: () => server.port,
    prepare: (count: number) => {
      pollsToCompletion = count
      polls.clear()
      server.reset()
    },
    seen: (): SeenPolls => ({
      connections: server.maxConnections(),
      polls: [...polls.values()].reduce((sum, count) => sum + count, 0),
    }),
  })
}

/** The counts of the job server since the last `prepare`. */
export interface SeenPolls {
  /** The largest number of connections that were open at once. */
  readonly connections: number
  readonly polls: number
}

interface RawServer {
  readonly port: number
  /** Returns the largest number of connections that were open at once since the last reset. */
  maxConnections(): number
  reset(): void
}

const HEAD_END = '\r\n\r\n'

/**
 * Serves requests that have no body. Node's own HTTP server would be the slowest part of the measurement, so this
 * server reads from TCP sockets itself.
 */
async function startRawServer(respond: (head: string) => Buffer): Promise<RawServer> {
  const open = new Set<Socket>()
  let maxOpen = 0
  const server = createTcpServer({ noDelay: true }, (socket) => {
    open.add(socket)
    maxOpen = Math.max(maxOpen, open.size)
    let unread = ''
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1')
      for (let end = unread.indexOf(HEAD_END); end >= 0; end = unread.indexOf(HEAD_END)) {
        socket.write(respond(unread.slice(0, end)))
        unread = unread.slice(end + HEAD_END.length)
      }
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', 1024, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    maxConnections: () => maxOpen,
    reset: () => void (maxOpen = open.size),
  }
}

function jsonResponse(status: string, body: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(body))
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${bytes.length}`,
    `date: ${new Date().toUTCString()}`,
    'connection: keep-alive',
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}${HEAD_END}`), bytes])
}

export interface ReceivedUpload {
  readonly path: string
  readonly bodyBytes: number
  /** The request's `content-length`. */
  readonly declaredBytes?: number
  /** The file in the form; only for small uploads. */
  readonly file?: { readonly name: string; readonly sha256: string }
}

/** Larger forms aren't parsed, because parsing would make the server the slowest part of the measurement. */
const PARSED_BYTES = 16_000_000

async function serveUploads(): Promise<void> {
  const reply = JSON.stringify(submission())
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) }
  let last: ReceivedUpload | undefined
  const server = createServer(async (request, response) => {
    last = await receiveUpload(request)
    response.writeHead(200, headers).end(reply)
  })
  server.requestTimeout = 0
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  answerQuestions({ port: () => (server.address() as AddressInfo).port, last: () => last })
}

async function receiveUpload(request: IncomingMessage): Promise<ReceivedUpload> {
  let chunks: Buffer[] | undefined = []
  let bodyBytes = 0
  request.on('data', (chunk: Buffer) => {
    bodyBytes += chunk.length
    if (bodyBytes > PARSED_BYTES) chunks = undefined
    chunks?.push(chunk)
  })
  await once(request, 'end')
  const declaredBytes = request.headers['content-length']
  const received = {
    path: request.url ?? '',
    bodyBytes,
    ...(declaredBytes === undefined ? {} : { declaredBytes: Number(declaredBytes) }),
  }
  if (chunks === undefined) return received
  const type = request.headers['content-type'] ?? ''
  return { ...received, file: await fileInForm(Buffer.concat(chunks), type) }
}

async function fileInForm(body: Buffer<ArrayBuffer>, type: string): Promise<ReceivedUpload['file'] & {}> {
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const file = form.get('file')
  if (file === null || typeof file === 'string') return { name: '', sha256: '' }
  const bytes = new Uint8Array(await file.arrayBuffer())
  return { name: file.name, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Counts the bytes of the binary frames that it receives. A client can ask for this count, or for transcripts. */
async function serveSockets(): Promise<void> {
  // `ws` isn't imported at the top of this file, because processes whose memory is measured also import this file.
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await new Promise((resolve) => server.once('listening', resolve))
  server.on('connection', (socket, { socket: wire }) => {
    const counter = new FrameCounter((opcode, payload) => {
      if (opcode === OPCODES.ping) return socket.pong(payload)
      if (opcode === OPCODES.close) return wire.end()
      const asked = JSON.parse(payload.toString()) as { readonly send?: number }
      if (asked.send === undefined) {
        socket.send(JSON.stringify({ type: 'Count', bytes: counter.bytes }))
        counter.bytes = 0
      }
      for (let index = 0; index < (asked.send ?? 0); index++) socket.send(transcript(index))
    })
    wire.removeAllListeners('data')
    wire.on('data', (chunk: Buffer) => counter.read(chunk))
  })
  answerQuestions({ address: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

const OPCODES = { binary: 2, close: 8, ping: 9 } as const
const NONE = Buffer.alloc(0)

/**
 * Reads the frames of a client (RFC 6455, section 5.2). The bytes of binary frames are counted but not unmasked,
 * because unmasking would make the server slower than the measured clients.
 */
class FrameCounter {
  /** The payload bytes of the binary frames so far. The caller can reset this count to 0. */
  bytes = 0
  readonly #onFrame: (opcode: number, payload: Buffer) => void
  #rest: Buffer = NONE
  /** The number of bytes of the current binary frame that haven't arrived yet. */
  #missingBytes = 0

  /** @param onFrame - Called with each frame that isn't binary. */
  constructor(onFrame: (opcode: number, payload: Buffer) => void) {
    this.#onFrame = onFrame
  }

  read(chunk: Buffer): void {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = this.#count(data, 0)
    while (this.#missingBytes === 0) {
      const next = this.#readFrame(data, at)
      if (next === undefined) break
      at = next
    }
    this.#rest = at === data.length ? NONE : data.subarray(at)
  }

  /**
   * Reads the frame that starts at `at`, and returns the position after it. If a binary frame's payload is still
   * incomplete, counts the bytes that have arrived, and returns the end of `data`. Returns undefined if the
   * header is incomplete, or if a frame that isn't binary is incomplete.
   */
  #readFrame(data: Buffer, at: number): number | undefined {
    const length7 = (data[at + 1] ?? 0) & 0x7f
    const keyAt = at + 2 + (length7 === 126 ? 2 : length7 === 127 ? 8 : 0)
    const start = keyAt + 4
    if (data.length < start) return undefined
    const length =
      length7 < 126 ? length7 : data.readUIntBE(length7 === 126 ? at + 2 : at + 4, length7 === 126 ? 2 : 6)
    const opcode = data[at]! & 0x0f
    if (opcode === OPCODES.binary) {
      this.#missingBytes = length
      return this.#count(data, start)
    }
    const end = start + length
    if (data.length < end) return undefined
    const payload = Buffer.from(data.subarray(start, end))
    for (let index = 0; index < length; index++) payload[index]! ^= data[keyAt + (index & 3)]!
    this.#onFrame(opcode, payload)
    return end
  }

  #count(data: Buffer, at: number): number {
    const countedBytes = Math.min(this.#missingBytes, data.length - at)
    this.bytes += countedBytes
    this.#missingBytes -= countedBytes
    return at + countedBytes
  }
}

if (import.meta.main) {
  const serve = SERVERS[process.argv[2] as keyof typeof SERVERS]
  await serve()
}
