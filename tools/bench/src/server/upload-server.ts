// Takes uploads and counts them; of small ones it also says which file was in them. Run as a process of its own.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { submission } from '../contract.ts'
import { answerQuestions } from '../process/answer-questions.ts'
import type { Received } from './received.ts'

/** A form of at most this many bytes is taken apart; a larger one would make the server the slowest part. */
const READ_BYTES = 16_000_000

const answer = JSON.stringify(submission())
let last: Received | undefined

const server = createServer((request, response) => void reply(request, response))
server.requestTimeout = 0
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))

answerQuestions({
  port: () => (server.address() as AddressInfo).port,
  last: () => last,
})

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  last = await receive(request)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
  response.end(answer)
}

function receive(request: IncomingMessage): Promise<Received> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] | undefined = []
    let bodyBytes = 0
    request.on('data', (chunk: Buffer) => {
      bodyBytes += chunk.length
      if (bodyBytes > READ_BYTES) chunks = undefined
      chunks?.push(chunk)
    })
    request.on('error', reject)
    request.on('end', () => {
      const declaredBytes = request.headers['content-length']
      const received = {
        path: request.url ?? '',
        bodyBytes,
        ...(declaredBytes === undefined ? {} : { declaredBytes: Number(declaredBytes) }),
      }
      if (chunks === undefined) return resolve(received)
      const type = request.headers['content-type'] ?? ''
      readFile(Buffer.concat(chunks), type).then((file) => resolve({ ...received, file }), reject)
    })
  })
}

async function readFile(body: Buffer<ArrayBuffer>, type: string): Promise<NonNullable<Received['file']>> {
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const file = form.get('file')
  if (file === null || typeof file === 'string') return { name: '', sha256: '' }
  const bytes = new Uint8Array(await file.arrayBuffer())
  return { name: file.name, sha256: createHash('sha256').update(bytes).digest('hex') }
}
