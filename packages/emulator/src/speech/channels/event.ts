import { isObject, type Json, type JsonLike } from '../../core/json.ts'
import type { SpeechChoices } from '../choices.ts'
import type { SpeechConnection } from '../context.ts'
import type { SpeechChannel } from '../model.ts'

/** The messages of the contract that have names; every other one goes out as an event. */
const NAMED: Readonly<Record<string, string>> = {
  ConfigureSuccess: 'configureSuccess',
  ConfigureFailure: 'configureFailure',
}

/** Sends a message, unless the choice was to send none. */
export function tell(connection: SpeechConnection, message: JsonLike | undefined): void {
  if (message === undefined) return
  const type = isObject(message) ? String(message['type']) : ''
  const named = Object.hasOwn(NAMED, type) ? NAMED[type] : undefined
  const isKnown = connection.channel.gives.some(({ key }) => key === named)
  connection.send(named !== undefined && isKnown ? named : 'serverEvent', message)
}

/** Says what a channel says first. */
export function greet(choices: SpeechChoices, connection: SpeechConnection): void {
  const channel = connection.channel.id as SpeechChannel
  for (const message of choices.greeting({ channel, query: connection.query })) tell(connection, message)
}

/** A text frame as JSON, or as it is if it isn't JSON. */
export function jsonOfFrame(frame: string): Json {
  try {
    return JSON.parse(frame) as Json
  } catch {
    return frame
  }
}

const BRACE = '{'.charCodeAt(0)

/** The JSON object that a frame holds; `undefined` if it holds none. */
export function readObject(frame: string | Uint8Array): Record<string, Json> | undefined {
  // Audio is hardly ever tried: only what is short and begins like an object.
  if (frame.length > 64 * 1024) return undefined
  if (typeof frame !== 'string' && frame.subarray(0, 8).every((byte) => byte !== BRACE)) return undefined
  const text = typeof frame === 'string' ? frame : new TextDecoder().decode(frame)
  if (!text.trimStart().startsWith('{')) return undefined
  const value = jsonOfFrame(text)
  return isObject(value) ? value : undefined
}
