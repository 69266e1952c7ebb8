import type { Body } from '../../core/request-body.ts'
import type { Json } from '../../core/json.ts'
import { bodyReply, success } from '../../core/reply.ts'
import { mismatchOf, readObject } from '../channels/messages.ts'
import { listen } from '../audio/heard-audio.ts'
import { encodeWav } from '../audio/wav.ts'
import type { SpeechContext, SpeechHandler } from '../state.ts'
import { deny } from '../denials.ts'
import { wordsBetween } from '../scripts.ts'
import { showTranscription } from '../shapes.ts'

/** `POST /v1/listen`. */
function transcribe({ choices, scripts }: SpeechContext): SpeechHandler {
  return {
    handle({ query, body }) {
      const bytes = bytesOf(body)
      if (readObject(bytes))
        return deny(choices, 'request-rejected', { reasons: ['body must be audio, not JSON'] })
      const audio = listen(query, choices)
      audio.hear(bytes)
      const outcome = mismatchOf(audio.container, query, 'transcribe', choices)
      if (outcome === 'DATA-0000') return deny(choices, 'audio-mismatch')
      const { heardMs } = audio
      const voice = {
        scripted: scripts.takeWords('transcribe'),
        ...choices.hearing,
        isGarbled: outcome === 'garbled',
      }
      const words = wordsBetween(voice, 0, heardMs)
      const analysis = choices.analyze(words.map(({ word }) => word).join(' '))
      const file = { words, startMs: 0, endMs: heardMs, durationMs: heardMs, query, analysis }
      return success(200, file, showTranscription(file))
    },
  }
}

/** `POST /v1/speak`: returns a WAV file. */
function synthesize({ choices, rate }: SpeechContext): SpeechHandler {
  return {
    handle({ body, caller }) {
      const { text } = choices.readBody({ operation: 'synthesize', body: jsonOf(body) })
      if (text === undefined || text === '') return deny(choices, 'empty-text')
      if (!rate.take(caller?.key ?? '', [...text].length))
        return deny(choices, 'character-rate', { limit: choices.limits.charactersPerMinute })
      const { samples, sampleRate } = choices.speak(text)
      return bodyReply(200, 'audio/wav', encodeWav(samples, sampleRate))
    },
  }
}

/** Returns the value of a JSON body. */
export function jsonOf(body: Body): Json | undefined {
  return body.kind === 'json' ? (body.value as Json) : undefined
}

/** Returns the bytes of a body; none if the body wasn't read as bytes. */
function bytesOf(body: Body): Uint8Array {
  return body.kind === 'other' ? body.bytes : new Uint8Array()
}

export function audioHandlers(context: SpeechContext): Record<string, SpeechHandler> {
  return {
    transcribe: transcribe(context),
    synthesize: synthesize(context),
  }
}
