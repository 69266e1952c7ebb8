import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createClient } from '../http/client.ts'
import { stream } from '../http/stream.ts'
import { KEY, listItems } from '../http/test-support/fixtures.ts'
import { type Loopback, socketServer } from './test-support/loopback.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
const COUNT = 600_000

/** Responds with JSON in chunks of one byte. */
async function serveBytes(): Promise<{ server: Loopback; socket: () => Socket | undefined }> {
  let last: Socket | undefined
  const server = await socketServer((socket) => {
    last = socket
    socket.on('data', () => socket.end(`${HEAD}${'1\r\n1\r\n'.repeat(COUNT)}0\r\n\r\n`))
  })
  return { server, socket: () => last }
}

const credentials = { key: { in: 'header', name: 'X-API-Key', value: KEY } } as const

it('R-02: a late reader of a response that arrives one byte at a time reads it in linear time', async () => {
  const { server, socket } = await serveBytes()
  await using _ = server
  await using client = createClient({ servers: { api: server.origin }, credentials })
  const { body } = await stream(client, listItems, {})
  // Continues until the connection is paused, so that nothing more is read.
  for (let turns = 0, seen = -1; turns < 50; turns++) {
    const left = socket()!.writableLength
    if (left !== seen) turns = 0
    seen = left
    await new Promise((resolve) => setImmediate(resolve))
  }
  let bytes = 0
  let pieces = 0
  for await (const piece of body) {
    bytes += piece.length
    pieces += 1
  }
  expect(bytes).toBe(COUNT)
  expect(pieces).toBeLessThan(COUNT / 2)
})
