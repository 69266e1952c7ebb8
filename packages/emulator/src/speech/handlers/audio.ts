import type { Body } from '../../core/request-body.ts'
import type { Json } from '../../core/json.ts'
import { bodyReply, jsonReply } from '../../core/reply.ts'
import { listen } from '../audio/heard-audio.ts'
import { encodeWav } from '../audio/wav.ts'
import type { SpeechContext, SpeechHandler } from '../context.ts'
import { refuse } from '../refusals.ts'
import { wordsBetween } from '../scripts.ts'

/** `POST /v1/listen`. */
export function transcribe({ choices, scripts }: SpeechContext): SpeechHandler {
  return {
    handle({ query, body }) {
      const audio = listen(query, choices)
      audio.hear(bytesOf(body))
      const isMismatch = choices.restChecksEncoding && audio.container !== undefined && query.has('encoding')
      if (isMismatch && choices.encodingMismatch === 'DATA-0000') return refuse(choices, 'audio-mismatch')
      const { heardMs } = audio
      const voice = {
        scripted: scripts.takeWords('transcribe'),
        words: choices.words,
        wordMs: choices.wordMs,
        isGarbled: isMismatch,
      }
      const words = wordsBetween(voice, 0, heardMs)
      const analysis = choices.analyze(words.map(({ word }) => word).join(' '))
      const file = { words, startMs: 0, endMs: heardMs, durationMs: heardMs, query, analysis }
      return jsonReply(200, choices.showTranscription(file))
    },
  }
}

/** `POST /v1/speak`: a whole WAV file. */
export function synthesize({ choices, rate }: SpeechContext): SpeechHandler {
  return {
    handle({ body, caller }) {
      const text = choices.readSynthesisText(jsonOf(body))
      if (text === undefined || text === '') return refuse(choices, 'empty-text')
      if (!rate.take(caller?.key ?? '', [...text].length))
        return refuse(choices, 'character-rate', { limit: choices.charactersPerMinute })
      const samples = choices.speak(text, choices.sampleRate, choices.speakingMs(text))
      return bodyReply(200, 'audio/wav', encodeWav(samples, choices.sampleRate))
    },
  }
}

/** The JSON of a body; nothing where it has none. */
export function jsonOf(body: Body): Json | undefined {
  return body.kind === 'json' ? (body.value as Json) : undefined
}

/** The bytes of a body, whatever its content type says. */
function bytesOf(body: Body): Uint8Array {
  if (body.kind === 'other') return body.bytes
  return body.kind === 'json' ? new TextEncoder().encode(JSON.stringify(body.value)) : new Uint8Array()
}
