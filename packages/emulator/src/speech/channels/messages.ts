import { isObject, type Json, type JsonLike } from '../../core/json.ts'
import type { SpeechChoices } from '../choices.ts'
import type { OpenSpeech } from '../limits.ts'
import type { SpeechChannel } from '../model.ts'
import type { SpeechConnection, SpeechContext } from '../state.ts'

/** The messages of the contract that have names; every other one is sent as an event. */
const NAMED: Readonly<Record<string, string>> = {
  ConfigureSuccess: 'configureSuccess',
  ConfigureFailure: 'configureFailure',
}

/** The channel of a connection. */
export function channelOf({ handshake }: SpeechConnection): SpeechChannel {
  return handshake.channel.id as SpeechChannel
}

/** Sends a message, unless the choice was to send none. */
export function sendMessage(connection: SpeechConnection, message: JsonLike | undefined): void {
  if (message === undefined) return
  const type = isObject(message) ? String(message['type']) : ''
  const named = Object.hasOwn(NAMED, type) ? NAMED[type] : undefined
  const isKnown = connection.handshake.channel.gives.some(({ key }) => key === named)
  connection.send(named !== undefined && isKnown ? named : 'serverEvent', message)
}

/** Lists a connection as open, and sends the first messages of its channel. */
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

/** The treatment of audio in a container despite an `encoding`; `undefined` without a mismatch. */
export function mismatchOf(
  container: unknown,
  query: URLSearchParams,
  on: 'transcribe' | SpeechChannel,
  choices: SpeechChoices,
): ReturnType<SpeechChoices['encodingMismatch']> | undefined {
  return container !== undefined && query.has('encoding') ? choices.encodingMismatch(on) : undefined
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

/** The JSON object in a frame; `undefined` if it contains none. */
export function readObject(frame: string | Uint8Array): Record<string, Json> | undefined {
  // Audio is hardly ever parsed: only what is short and begins like an object.
  if (frame.length > 64 * 1024) return undefined
  if (typeof frame !== 'string' && frame.subarray(0, 8).every((byte) => byte !== BRACE)) return undefined
  const text = typeof frame === 'string' ? frame : new TextDecoder().decode(frame)
  if (!text.trimStart().startsWith('{')) return undefined
  const value = jsonOfFrame(text)
  return isObject(value) ? value : undefined
}
