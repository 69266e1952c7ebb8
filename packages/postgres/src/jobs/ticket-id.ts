import { randomBytes } from 'node:crypto'

let lastMs = 0
let count = 0

/**
 * Returns a UUID that begins with the time (RFC 9562, version 7). With random ids, the index would become slower as
 * the queue grows.
 */
export function ticketId(): string {
  // oxlint-disable-next-line no-restricted-globals, no-restricted-properties -- the time only orders ids
  const nowMs = Date.now()
  if (nowMs > lastMs) {
    lastMs = nowMs
    count = 0
  } else if (++count === 0x1000) {
    // All 4,096 ids of this millisecond are used, so the next ids belong to the following millisecond.
    lastMs++
    count = 0
  }
  const bytes = randomBytes(16)
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | count, 6)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
