import { reasonsOf } from '../../core/denials.ts'
import { complain } from '../problems.ts'
import type { SpeechChannelHandler, SpeechContext } from '../state.ts'
import { openEntry, readObject } from './messages.ts'
import { SpeechOutput } from './speech-output.ts'

/** `/v1/speak`: text becomes audio, within the character rate. */
export function speechStream(context: SpeechContext): SpeechChannelHandler {
  const { choices, connections, rate } = context
  return (connection) => {
    const output = new SpeechOutput(connection, choices)
    const entry = openEntry(connection, context, { characters: 0 })
    let texts = 0
    return {
      message(_, payload) {
        const { text } = payload as { text: string }
        const { length } = [...text]
        if (!rate.take(connection.handshake.caller?.key ?? '', length)) {
          complain(choices, connection, {
            problem: 'character-rate',
            frame: payload as { text: string },
            facts: { limit: choices.limits.charactersPerMinute },
          })
          return
        }
        entry.characters = (entry.characters ?? 0) + length
        const index = texts++
        output.speak(text, (durationMs) => choices.showEvent({ kind: 'speech-end', index, durationMs }))
      },
      denied(mismatches, frame) {
        const isEmpty = typeof frame === 'string' && readObject(frame)?.['text'] === ''
        const problem = isEmpty ? 'empty-text' : 'message-rejected'
        complain(choices, connection, { problem, frame, facts: { reasons: reasonsOf(mismatches) } })
      },
      closed: () => connections.closed(entry),
    }
  }
}
