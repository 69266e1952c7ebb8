import type { OpenSpeech } from '../connections.ts'
import type { SpeechChannelHandler, SpeechContext } from '../context.ts'
import { reasonsOf } from '../../core/refusals.ts'
import { complain } from '../problems.ts'
import { greet, readObject } from './event.ts'
import { createMouth } from './mouth.ts'

/** `/v1/speak`: text becomes audio, within the character rate. */
export function speechStream({ choices, connections, rate }: SpeechContext): SpeechChannelHandler {
  return (connection) => {
    const mouth = createMouth(connection, choices)
    const entry: OpenSpeech & { characters: number } = {
      id: connection.id,
      channel: 'speechStream',
      openedAt: connection.openedAt,
      heardMs: 0,
      characters: 0,
    }
    connections.opened(entry)
    greet(choices, connection)
    let texts = 0

    return {
      message(_, payload) {
        const { text } = payload as { text: string }
        const { length } = [...text]
        if (!rate.take(connection.caller?.key ?? '', length)) {
          complain(choices, connection, {
            problem: 'character-rate',
            frame: payload as { text: string },
            facts: { limit: choices.limits.charactersPerMinute },
          })
          return
        }
        entry.characters += length
        const index = texts++
        mouth.speak(text, (durationMs) => choices.showEvent({ kind: 'speech-end', index, durationMs }))
      },
      refused(mismatches, frame) {
        const isEmpty = typeof frame === 'string' && readObject(frame)?.['text'] === ''
        complain(choices, connection, {
          problem: isEmpty ? 'empty-text' : 'message-refused',
          frame,
          facts: { reasons: reasonsOf(mismatches) },
        })
      },
      closed: () => connections.closed(entry),
    }
  }
}
