import type { StandardSchema } from '@concord/runtime'

import { type ConfigureReplies, Conversation, withReplies } from './conversation.ts'
import { liveTranscription } from './gen/channels.gen.ts'
import { AUDIO_HINT, checkAvailable, checkContainer, toConnectOptions } from './live-options.ts'
import type { ChannelOpener } from './open-channel.ts'
import type { ConverseOptions, ListenOptions } from './options.ts'
import type { Typed } from './schema.ts'
import type { AudioHint, SpeechSocketOptions } from './socket-options.ts'
import { AudioSocket, type LiveTranscription } from './audio-socket.ts'

export { openAgent } from './agent.ts'
export { finalSocketError } from './socket-errors.ts'
export { openSynthesizer, synthesisAudio } from './synthesizer.ts'

export async function openTranscription<Schema extends StandardSchema>(
  sockets: ChannelOpener,
  options: ListenOptions,
  socket: SpeechSocketOptions<Schema> & AudioHint,
): Promise<LiveTranscription<Typed<Schema>>> {
  const settings = toConnectOptions(socket, AUDIO_HINT)
  checkContainer('liveTranscription', { ...socket.extra?.query, ...options }, socket, ['encoding'])
  const connection = await sockets.open(liveTranscription, options, settings)
  return new AudioSocket(connection, socket.schema)
}

export async function openConversation<Schema extends StandardSchema>(
  sockets: ChannelOpener,
  options: ConverseOptions,
  socket: SpeechSocketOptions<Schema> & AudioHint & { readonly replies?: ConfigureReplies },
): Promise<Conversation<Typed<Schema>>> {
  const settings = toConnectOptions(socket, { ...AUDIO_HINT, replies: true })
  const given = { ...socket.extra?.query, ...options }
  checkAvailable(given)
  checkContainer('conversation', given, socket, ['encoding', 'language'])
  // Conversational transcription has only one model, so callers don't have to name it.
  const query: ConverseOptions = { ...options, model: options.model ?? 'flux-general-en' }
  const connection = await sockets.open(withReplies(socket.replies), query, settings)
  return new Conversation(connection, socket.schema)
}
