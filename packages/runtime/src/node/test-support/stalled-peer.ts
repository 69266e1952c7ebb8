import { memoryUsage } from 'node:process'

import { createClient } from '../../http/client.ts'
import { connect } from '../../socket/connect.ts'
import { radio } from '../../socket/test-support/radio.ts'

/** How much is sent to the peer that takes nothing. */
const TOTAL_BYTES = 200_000_000
const FRAME_BYTES = 8_000

/**
 * A program of its own, so that its memory is nobody else's: sends 200 MB of frames into a peer that takes nothing, and
 * says what came of it. With the argument `greedy` it does not wait for what it sends.
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
    // Each a copy of its own, as a microphone gives them.
    const sent = connection.sendBinary(frame.slice())
    peakBuffered = Math.max(peakBuffered, connection.bufferedBytes)
    if (manner === 'greedy') sent.catch(() => (refused += 1))
    else await sent
  }
}

/** The kernel goes on taking bytes for a while; a stall is when nothing changes any more. */
async function stalled(): Promise<void> {
  for (let quiet = 0, last = -1; quiet < 20; quiet = connection.bufferedBytes === last ? quiet + 1 : 0) {
    last = connection.bufferedBytes
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** What is held when all that can be given back was: the memory of buffers is given back some turns after their end. */
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
