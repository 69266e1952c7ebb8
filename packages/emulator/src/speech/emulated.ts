import type { EmulatorSocketFactory } from '../core/memory-socket.ts'
import type { EmulatedService } from '../core/service-module.ts'
import type { SpeechControl, SpeechState } from './control.ts'

/** The speech service where it is served. @public */
export interface ServedSpeech {
  /** The address of speech REST and speech WebSockets, without a slash at the end. */
  readonly apiUrl: string
  /** The address of the voice agent and its language models, without a slash at the end. */
  readonly agentUrl: string
  /** A valid API key. */
  readonly apiKey: string
}

/** The speech service in process. @public */
export interface EmulatedSpeech extends EmulatedService<SpeechControl, SpeechState>, ServedSpeech {
  /** Opens its WebSockets without a port; a Concord client takes it as its `socketFactory`. */
  readonly socketFactory: EmulatorSocketFactory
}
