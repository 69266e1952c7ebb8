import type { CallOptions, StandardSchema } from '@concord/runtime'
import type { ConversationOptions, LiveTranscriptionOptions } from '@concord/speech-validators'

import type { TranscriptionEvent } from './events.ts'
import type { AudioSocket } from './speech-socket.ts'

/** Options of a REST call whose answer is not shown by the documentation. @public */
export interface TypedCallOptions<Schema extends StandardSchema = never> extends CallOptions {
  /** Types and checks the answer. */
  readonly schema?: Schema
}

/** The options of `/v1/listen`; further ones go into `extra.query`. @public */
export type ListenOptions = LiveTranscriptionOptions
/** The options of `/v2/listen`; further ones go into `extra.query`. @public */
export type ConverseOptions = ConversationOptions
/** An open live transcription. @public */
export type LiveTranscription<Event = unknown> = AudioSocket<TranscriptionEvent<Event>>
