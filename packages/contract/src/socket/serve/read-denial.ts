import type { IncomingMessage } from 'node:http'

import { CollectedBytes } from '@concord/spec-model'

/** The rest of the body of a denial is not read. */
const maxBytes = 1024 * 1024

/**
 * Reads the answer of a service that does not open a connection, as far as it comes, and lets go of the connection.
 * It never fails: if the body breaks off, the part that arrived is returned.
 */
export async function readDenial(response: IncomingMessage): Promise<Buffer> {
  // Once the answer is complete, nothing listens to the connection, and a reset would end the process.
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
