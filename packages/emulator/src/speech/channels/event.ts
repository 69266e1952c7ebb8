import type { Json } from '../../core/json.ts'
import type { Mismatch } from '../../core/errors.ts'
import type { SpeechConnection } from '../context.ts'

/** Sends an event, unless the choice was to send none. */
export function tell(connection: SpeechConnection, event: Json | undefined): void {
  if (event !== undefined) connection.send('serverEvent', event)
}

/** What the contract has against a message, in words. */
export function reasonsOf(mismatches: readonly Mismatch[]): string[] {
  return mismatches.map(({ path, reason }) => `${path} ${reason}`)
}

const BRACE = '{'.charCodeAt(0)

/** The JSON object that a frame holds; nothing where it holds none. */
export function readObject(frame: string | Uint8Array): Record<string, Json> | undefined {
  // Audio is hardly ever tried: only what is short and begins like an object.
  if (frame.length > 64 * 1024) return undefined
  if (typeof frame !== 'string' && frame.subarray(0, 8).every((byte) => byte !== BRACE)) return undefined
  const text = typeof frame === 'string' ? frame : new TextDecoder().decode(frame)
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(text) as Record<string, Json>
  } catch {
    return undefined
  }
}
