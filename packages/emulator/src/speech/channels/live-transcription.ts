import { createRestTimer } from '../../core/rest-timer.ts'
import { listen } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../connections.ts'
import type { SpeechChannelHandler, SpeechContext } from '../context.ts'
import { reasonsOf } from '../../core/refusals.ts'
import { complain } from '../problems.ts'
import { wordsBetween, type Voice } from '../scripts.ts'
import { greet, readObject, tell } from './event.ts'

/** `/v1/listen`: transcripts that follow the audio, voice activity and utterance ends. */
export function liveTranscription({ choices, connections, scripts }: SpeechContext): SpeechChannelHandler {
  return (connection) => {
    const { query } = connection
    const audio = listen(query, choices)
    const voice: Voice = {
      scripted: scripts.takeWords('liveTranscription'),
      ...choices.hearing,
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
    greet(choices, connection)
    let toldMs = 0
    let lastWordEndMs = 0
    let isSpeaking = false
    const rest = createRestTimer(connection, () => tellUntil(audio.heardMs))
    const utteranceEnd = createRestTimer(connection, () => {
      tellUntil(audio.heardMs)
      isSpeaking = false
      tell(connection, choices.showEvent({ kind: 'utterance-end', lastWordEndMs }))
    })

    /** Tells what was heard up to here. */
    function tellUntil(endMs: number): void {
      if (endMs <= toldMs) return
      const words = wordsBetween(voice, toldMs, endMs)
      lastWordEndMs = words.at(-1)?.endMs ?? lastWordEndMs
      tell(connection, choices.showEvent({ kind: 'transcript', words, startMs: toldMs, endMs, query }))
      toldMs = endMs
    }

    function hear(piece: Uint8Array): void {
      audio.hear(piece)
      entry.heardMs = audio.heardMs
      if (audio.container && query.has('encoding')) {
        const outcome = choices.encodingMismatch('liveTranscription')
        if (outcome === 'DATA-0000') {
          complain(choices, connection, { problem: 'audio-mismatch', frame: piece })
          return
        }
        voice.isGarbled = outcome === 'garbled'
      }
      if (!isSpeaking && utteranceEndMs !== undefined) {
        isSpeaking = true
        tell(connection, choices.showEvent({ kind: 'voice-activity', atMs: toldMs }))
      }
      const { segment, flush } = choices.timing
      while (audio.heardMs - toldMs >= segment) tellUntil(toldMs + segment)
      // Silence tells the rest, and ends the utterance where that was asked for.
      rest.touch(flush)
      if (utteranceEndMs !== undefined) utteranceEnd.touch(utteranceEndMs)
    }

    return {
      message(key, payload) {
        if (key === 'keepAlive') {
          if (choices.binaryKeepAlive.stallEnds === 'with-text-keep-alive') entry.stalled = false
          return
        }
        const piece = payload as Uint8Array
        if (readObject(piece)?.['type'] === 'KeepAlive') entry.stalled = true
        if (!entry.stalled) hear(piece)
      },
      refused: (mismatches, frame) =>
        complain(choices, connection, {
          problem: 'message-refused',
          frame,
          facts: { reasons: reasonsOf(mismatches) },
        }),
      closed: () => connections.closed(entry),
    }
  }
}

function toMs(text: string | null): number | undefined {
  const value = Number(text ?? NaN)
  return Number.isFinite(value) && value > 0 ? value : undefined
}
