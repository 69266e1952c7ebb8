import { memoryUsage } from 'node:process'

import { createClient } from '../../http/client.ts'
import { connect } from '../../socket/connect.ts'
import { radio } from '../../socket/test-support/radio.ts'

/** The number of bytes to send to the peer, which doesn't read. */
const TOTAL_BYTES = 200_000_000
const FRAME_BYTES = 8_000

/**
 * This is a separate program, so that its memory can be measured. It sends 200 MB of frames to a peer that doesn't
 * read, and sends the result to its parent process. With the argument `greedy`, it doesn't await its sends.
 */
const [, , origin = '', manner = ''] = process.argv

const client = createClient({ servers: { api: origin } })
const connection = await connect(client, { ...radio, security: [] }, { closeTimeoutMs: 10 })
const frame = new Uint8Array(FRAME_BYTES).fill(7)
const beforeBytes = await heldBytes()
let offered = 0
let refused = 0
let peakBuffered = 0

async function offerAll(): Promise<void> {
  for (; offered < TOTAL_BYTES; offered += FRAME_BYTES) {
    // Copies each frame, because real callers send a new buffer each time, for example for audio from a microphone.
    const sent = connection.sendBinary(frame.slice())
    peakBuffered = Math.max(peakBuffered, connection.bufferedBytes)
    if (manner === 'greedy') sent.catch(() => (refused += 1))
    else await sent
  }
}

/** Waits until the connection has stalled: the kernel accepts bytes for a while, and then the buffer stays the same. */
async function stalled(): Promise<void> {
  for (let quiet = 0, last = -1; quiet < 20; quiet = connection.bufferedBytes === last ? quiet + 1 : 0) {
    last = connection.bufferedBytes
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/**
 * Returns the memory in use after garbage collection. The memory of buffers is freed a few turns of the event loop
 * after they become unreachable.
 */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const { external, heapUsed } = memoryUsage()
  return external + heapUsed
}

const offering = offerAll().catch(() => undefined)
if (manner === 'greedy') await offering
await stalled()
const growthBytes = (await heldBytes()) - beforeBytes
const offeredBytes = offered
const end = await connection.close()
await offering
process.send?.({ growthBytes, peakBuffered, refused, offered: offeredBytes, unsent: end.unsent })
process.disconnect?.()
