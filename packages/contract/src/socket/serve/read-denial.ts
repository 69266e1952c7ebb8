import type { IncomingMessage } from 'node:http'

import { CollectedBytes } from '@concord/spec-model'

/** The maximum size of the body. The rest of a longer body isn't read. */
const maxBytes = 1024 * 1024

/**
 * Reads the body of a denied upgrade, and ends the connection. It never fails: if the body ends early, it returns the
 * part that arrived.
 */
export async function readDenial(response: IncomingMessage): Promise<Buffer> {
  // After the response is complete, nothing else handles errors of the connection. A reset would then end the process.
  response.socket.on('error', () => {})
  const collected = new CollectedBytes()
  try {
    for await (const chunk of response) {
      collected.add(chunk as Buffer)
      if (collected.sizeBytes >= maxBytes) break
    }
  } catch {
    // The part that arrived is enough.
  }
  response.destroy()
  return Buffer.from(collected.whole().buffer).subarray(0, maxBytes)
}
