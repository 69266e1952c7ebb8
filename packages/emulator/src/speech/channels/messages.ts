import { isObject, type Json, type JsonLike } from '../../core/json.ts'
import type { SpeechChoices } from '../choices.ts'
import type { OpenSpeech } from '../limits.ts'
import type { SpeechChannel } from '../model.ts'
import type { SpeechConnection, SpeechContext } from '../state.ts'

/** The keys of the contract's messages that have a documented `type`. Every other message is a `serverEvent`. */
const NAMED: Readonly<Record<string, string>> = {
  ConfigureSuccess: 'configureSuccess',
  ConfigureFailure: 'configureFailure',
}

/** Returns the channel of a connection. */
export function channelOf({ handshake }: SpeechConnection): SpeechChannel {
  return handshake.channel.id as SpeechChannel
}

/** Sends a message; `undefined` sends none. */
export function sendMessage(connection: SpeechConnection, message: JsonLike | undefined): void {
  if (message === undefined) return
  const type = isObject(message) ? String(message['type']) : ''
  const named = Object.hasOwn(NAMED, type) ? NAMED[type] : undefined
  const isKnown = connection.handshake.channel.toClient.some(({ key }) => key === named)
  connection.send(named !== undefined && isKnown ? named : 'serverEvent', message)
}

/** Registers an open connection, and sends the greeting of its channel. */
export function openEntry(
  connection: SpeechConnection,
  { choices, connections }: Pick<SpeechContext, 'choices' | 'connections'>,
  details: Partial<OpenSpeech> = {},
): OpenSpeech {
  const channel = channelOf(connection)
  const { id, openedAt, handshake } = connection
  const entry: OpenSpeech = { id, channel, openedAt, heardMs: 0, ...details }
  connections.opened(entry)
  for (const message of choices.greeting({ channel, query: handshake.query }))
    sendMessage(connection, message)
  return entry
}

/** Returns how to treat containerized audio that was sent with an `encoding`, or `undefined` if the two match. */
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

/** Parses the JSON object in a frame. Returns `undefined` if the frame isn't one. */
export function readObject(frame: string | Uint8Array): Record<string, Json> | undefined {
  // Only short frames that start like an object are parsed, so audio hardly ever is.
  if (frame.length > 64 * 1024) return undefined
  if (typeof frame !== 'string' && frame.subarray(0, 8).every((byte) => byte !== BRACE)) return undefined
  const text = typeof frame === 'string' ? frame : new TextDecoder().decode(frame)
  if (!text.trimStart().startsWith('{')) return undefined
  const value = jsonOfFrame(text)
  return isObject(value) ? value : undefined
}
