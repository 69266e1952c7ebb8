import { createRestTimer } from '../../core/rest-timer.ts'
import { listen } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../connections.ts'
import type { SpeechChannelHandler, SpeechContext } from '../context.ts'
import { complain } from '../refusals.ts'
import { wordsBetween, type Voice } from '../scripts.ts'
import { readObject, reasonsOf, tell } from './event.ts'

/** `/v1/listen`: transcripts that follow the audio, voice activity and utterance ends. */
export function liveTranscription({ choices, connections, scripts }: SpeechContext): SpeechChannelHandler {
  return (connection) => {
    const { query } = connection
    const audio = listen(query, choices)
    const voice: Voice = {
      scripted: scripts.takeWords('liveTranscription'),
      words: choices.words,
      wordMs: choices.wordMs,
    }
    const utteranceEndMs = toMs(query.get('utterance_end_ms'))
    const entry: OpenSpeech = {
      id: connection.id,
      channel: 'liveTranscription',
      openedAt: connection.openedAt,
      heardMs: 0,
      stalled: false,
    }
    connections.opened(entry)
    let toldMs = 0
    let lastWordEndMs = 0
    let isSpeaking = false
    const rest = createRestTimer(connection, () => tellUntil(audio.heardMs))
    const utteranceEnd = createRestTimer(connection, () => {
      tellUntil(audio.heardMs)
      isSpeaking = false
      tell(connection, choices.showUtteranceEnd({ lastWordEndMs }))
    })

    /** Tells what was heard up to here. */
    function tellUntil(endMs: number): void {
      if (endMs <= toldMs) return
      const words = wordsBetween(voice, toldMs, endMs)
      lastWordEndMs = words.at(-1)?.endMs ?? lastWordEndMs
      tell(connection, choices.showTranscript({ words, startMs: toldMs, endMs, query }))
      toldMs = endMs
    }

    function hear(piece: Uint8Array): void {
      audio.hear(piece)
      entry.heardMs = audio.heardMs
      if (audio.container && query.has('encoding')) {
        if (choices.encodingMismatch === 'DATA-0000') {
          complain(choices, connection, 'audio-mismatch')
          return
        }
        voice.isGarbled = true
      }
      if (!isSpeaking && utteranceEndMs !== undefined) {
        isSpeaking = true
        tell(connection, choices.showVoiceActivity({ atMs: toldMs }))
      }
      while (audio.heardMs - toldMs >= choices.segmentMs) tellUntil(toldMs + choices.segmentMs)
      // Silence tells the rest, and ends the utterance where that was asked for.
      rest.touch(choices.flushMs)
      if (utteranceEndMs !== undefined) utteranceEnd.touch(utteranceEndMs)
    }

    return {
      message(key, payload) {
        if (key === 'keepAlive') {
          if (choices.stallEnds === 'with-text-keep-alive') entry.stalled = false
          return
        }
        const piece = payload as Uint8Array
        if (readObject(piece)?.['type'] === 'KeepAlive') entry.stalled = true
        if (!entry.stalled) hear(piece)
      },
      refused: (mismatches) =>
        complain(choices, connection, 'message-refused', { reasons: reasonsOf(mismatches) }),
      closed: () => connections.closed(entry),
    }
  }
}

function toMs(text: string | null): number | undefined {
  const value = Number(text ?? NaN)
  return Number.isFinite(value) && value > 0 ? value : undefined
}
