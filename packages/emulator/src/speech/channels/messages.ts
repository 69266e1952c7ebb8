import { isObject, type Json } from '../../core/json.ts'
import type { SpeechChoices } from '../choices.ts'
import type { SpeechChannel } from '../model.ts'

/** If the audio is in a container although the query has an `encoding`, returns how to handle this mismatch. */
export function mismatchOf(
  container: unknown,
  query: URLSearchParams,
  on: 'transcribe' | SpeechChannel,
  choices: SpeechChoices,
): ReturnType<SpeechChoices['encodingMismatch']> | undefined {
  return container !== undefined && query.has('encoding') ? choices.encodingMismatch(on) : undefined
}

/** Parses a text frame. A frame that isn't JSON is returned unchanged. */
export function jsonOfFrame(frame: string): Json {
  try {
    return JSON.parse(frame) as Json
  } catch {
    return frame
  }
}

const BRACE = '{'.charCodeAt(0)

/** Parses a frame as a JSON object. Returns `undefined` if the frame is too long or isn't a JSON object. */
export function readObject(frame: string | Uint8Array): Record<string, Json> | undefined {
  // The frame may contain audio. These checks avoid parsing audio as JSON.
  if (frame.length > 64 * 1024) return undefined
  if (typeof frame !== 'string' && frame.subarray(0, 8).every((byte) => byte !== BRACE)) return undefined
  const text = typeof frame === 'string' ? frame : new TextDecoder().decode(frame)
  if (!text.trimStart().startsWith('{')) return undefined
  const value = jsonOfFrame(text)
  return isObject(value) ? value : undefined
}
