import type { ChannelSpecification } from '../../core/channels.ts'
import { isObject, type Json } from '../../core/json.ts'
import { bodyReply, success } from '../../core/reply.ts'
import type { Body } from '../../core/request-body.ts'
import type { Specification } from '../../core/specification.ts'
import { TOKEN_LIFETIME_SECONDS } from '../accounts.ts'
import { listen } from '../audio/heard-audio.ts'
import { encodeWav } from '../audio/wav.ts'
import { mismatchOf, readObject } from '../channels/messages.ts'
import { deny } from '../denials.ts'
import { takeWords, wordsBetween } from '../scripts.ts'
import { showTranscription } from '../shapes.ts'
import type { SpeechContext, SpeechHandler } from '../state.ts'

/** The emulator's own language model. The documentation doesn't name the service's language models. */
const THINK_MODELS = [{ name: 'emulator-echo' }]

export function restHandlers(
  { choices, accounts, rate, transcripts }: SpeechContext,
  specification: Specification,
  channels: ChannelSpecification,
): Record<string, SpeechHandler> {
  const models = modelsOf(specification, channels)
  return {
    transcribe: {
      handle({ query, body }) {
        const bytes = body.kind === 'other' ? body.bytes : new Uint8Array()
        if (readObject(bytes))
          return deny(choices, 'request-rejected', { reasons: ['the body must be audio, not JSON'] })
        const audio = listen(query, choices)
        audio.hear(bytes)
        const mismatch = mismatchOf(audio.container, query, 'transcribe', choices)
        if (mismatch === 'DATA-0000') return deny(choices, 'audio-mismatch')
        const { heardMs } = audio
        const scripted = takeWords(transcripts, 'transcribe')
        const voice = { ...choices.hearing, scripted, isGarbled: mismatch === 'garbled' }
        const words = wordsBetween(voice, 0, heardMs)
        const analysis = choices.analyze(words.map(({ word }) => word).join(' '))
        const file = { words, startMs: 0, endMs: heardMs, durationMs: heardMs, query, analysis }
        return success(200, file, showTranscription(file))
      },
    },
    synthesize: {
      handle({ body, caller }) {
        const { text } = choices.readBody({ operation: 'synthesize', body: jsonOf(body) })
        if (text === undefined || text === '') return deny(choices, 'empty-text')
        const { charactersPerMinute: limit } = choices.limits
        if (rate.take(caller?.key ?? '', { limit }, [...text].length) !== undefined)
          return deny(choices, 'character-rate', { limit })
        const { samples, sampleRate } = choices.speak(text)
        return bodyReply(200, 'audio/wav', encodeWav(samples, sampleRate))
      },
    },
    analyzeText: {
      handle({ body }) {
        const { text } = choices.readBody({ operation: 'analyzeText', body: jsonOf(body) })
        if (text === undefined) return deny(choices, 'request-rejected', { reasons: ['the text is missing'] })
        const analysis = choices.analyze(text)
        return success(200, analysis, { ...analysis })
      },
    },
    grantToken: {
      handle({ body, caller }) {
        if (!caller) return deny(choices, 'key-invalid')
        const read = choices.readBody({ operation: 'grantToken', body: jsonOf(body) })
        const { lifetimeSeconds = TOKEN_LIFETIME_SECONDS } = read
        const token = accounts.grant(caller.key, lifetimeSeconds)
        return success(200, { token, lifetimeSeconds }, { access_token: token, expires_in: lifetimeSeconds })
      },
    },
    listModels: { handle: () => success(200, models, models) },
    listThinkModels: { handle: () => success(200, THINK_MODELS, THINK_MODELS) },
  }
}

function modelsOf(
  specification: Specification,
  channels: ChannelSpecification,
): { name: string; purpose: string }[] {
  const listen = specification.at('#/components/schemas/ListenModel')
  const names = isObject(listen) && Array.isArray(listen['enum']) ? listen['enum'].map(String) : []
  const query = channels.channels.find(({ id }) => id === 'conversation')?.query
  const conversational = query && channels.at(`#${query.pointer}/properties/model/const`)
  return [
    ...names.map((name) => ({ name, purpose: '/v1/listen' })),
    ...(typeof conversational === 'string' ? [{ name: conversational, purpose: '/v2/listen' }] : []),
  ]
}

function jsonOf(body: Body): Json | undefined {
  return body.kind === 'json' ? (body.value as Json) : undefined
}
