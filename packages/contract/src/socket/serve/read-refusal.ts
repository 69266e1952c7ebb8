import type { IncomingMessage } from 'node:http'

/** More of the body of a refusal is not read. */
const mostBytes = 1024 * 1024

/**
 * Reads the answer of a service that does not open a connection, as far as it comes, and lets go of the connection.
 * It never fails: what breaks off is told as far as it came.
 */
export async function readRefusal(response: IncomingMessage): Promise<Buffer> {
  // Once the answer is whole nobody listens to the connection any more, and a reset of it would end the process.
  response.socket.on('error', () => {})
  const chunks: Buffer[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer)
      sizeBytes += (chunk as Buffer).length
      if (sizeBytes >= mostBytes) break
    }
  } catch {
    // What there is of it will do.
  }
  response.destroy()
  return Buffer.concat(chunks).subarray(0, mostBytes)
}
