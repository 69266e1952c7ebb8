import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A server of answers that are made in advance. */
export interface RawServer {
  readonly port: number
  /** The most connections that were open at once since the last reset. */
  mostConnections(): number
  reset(): void
}

const END = '\r\n\r\n'

/**
 * Serves requests without a body on bare sockets. Node's own HTTP server would be the slowest part of what is
 * measured; this one only finds the end of each request.
 *
 * @param respond - Gives the whole answer to the head of a request.
 */
export async function startRawServer(respond: (head: string) => Buffer): Promise<RawServer> {
  const open = new Set<Socket>()
  let most = 0
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket)
    most = Math.max(most, open.size)
    let unread = ''
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1')
      for (let end = unread.indexOf(END); end >= 0; end = unread.indexOf(END)) {
        socket.write(respond(unread.slice(0, end)))
        unread = unread.slice(end + END.length)
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
    mostConnections: () => most,
    reset: () => void (most = open.size),
  }
}

/** A whole answer with a JSON body. */
export function jsonAnswer(status: string, body: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(body))
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${bytes.length}`,
    `date: ${new Date().toUTCString()}`,
    'connection: keep-alive',
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}${END}`), bytes])
}
