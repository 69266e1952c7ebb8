import { randomBytes } from 'node:crypto'

let lastMs = 0
let count = 0

/**
 * Makes the id of a ticket: a UUID that begins with the time (RFC 9562, version 7). Random ids would spread the tickets of a
 * batch over all pages of an index, so that each one costs more the more there are. The time only orders them.
 */
export function ticketId(): string {
  // oxlint-disable-next-line no-restricted-globals, no-restricted-properties -- not a wait: it only orders pages
  const nowMs = Date.now()
  if (nowMs > lastMs) {
    lastMs = nowMs
    count = 0
  } else if (++count === 0x1000) {
    // More than 4,096 in a millisecond: they take numbers of the next one.
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
