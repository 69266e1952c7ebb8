import { reasonsOf } from '../../core/denials.ts'
import { respondToProblem } from '../problems.ts'
import type { SpeechChannelHandler, SpeechContext } from '../state.ts'
import { openEntry, readObject } from './messages.ts'
import { SpeechOutput } from './speech-output.ts'

/** `/v1/speak`: synthesizes text, up to the character rate limit. */
export function speechStream(context: SpeechContext): SpeechChannelHandler {
  const { choices, connections, rate } = context
  return (connection) => {
    const output = new SpeechOutput(connection, choices)
    const entry = openEntry(connection, context, { characters: 0 })
    let utterances = 0
    return {
      message(_, payload) {
        const { text } = payload as { text: string }
        const { length } = [...text]
        if (!rate.take(connection.handshake.caller?.key ?? '', length)) {
          respondToProblem(choices, connection, {
            problem: 'character-rate',
            frame: payload as { text: string },
            facts: { limit: choices.limits.charactersPerMinute },
          })
          return
        }
        entry.characters = (entry.characters ?? 0) + length
        const index = utterances++
        output.speak(text, (durationMs) => choices.showEvent({ kind: 'speech-end', index, durationMs }))
      },
      rejected(mismatches, frame) {
        const isEmpty = typeof frame === 'string' && readObject(frame)?.['text'] === ''
        const problem = isEmpty ? 'empty-text' : 'message-rejected'
        respondToProblem(choices, connection, { problem, frame, facts: { reasons: reasonsOf(mismatches) } })
      },
      closed: () => connections.closed(entry),
    }
  }
}
