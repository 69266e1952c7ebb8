import type { JsonObject } from '../../core/json.ts'
import { createRestTimer } from '../../core/rest-timer.ts'
import { listen } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../connections.ts'
import type { SpeechChannelHandler, SpeechContext } from '../context.ts'
import { reasonsOf } from '../../core/refusals.ts'
import { complain } from '../problems.ts'
import { wordsBetween } from '../scripts.ts'
import { greet, tell } from './event.ts'
import { createMouth } from './mouth.ts'

/** `/v1/agent/converse`: Settings first, then audio both ways. What comes earlier is ignored, without a word. */
export function agent({ choices, connections, scripts }: SpeechContext): SpeechChannelHandler {
  return (connection) => {
    const audio = listen(connection.query, choices)
    const mouth = createMouth(connection, choices)
    const voice = { scripted: scripts.takeWords('agent'), ...choices.hearing }
    const entry: OpenSpeech = {
      id: connection.id,
      channel: 'agent',
      openedAt: connection.openedAt,
      heardMs: 0,
      settled: false,
    }
    connections.opened(entry)
    greet(choices, connection)
    let settings: JsonObject | undefined
    let turnStartMs = 0
    let turns = 0
    const silence = createRestTimer(connection, () => answer(audio.heardMs))

    function settle(given: JsonObject): void {
      if (!choices.isSettings(given)) {
        complain(choices, connection, { problem: 'message-unused', frame: given })
        return
      }
      const problem = choices.checkConfiguration({ channel: 'agent', values: given })
      if (problem !== undefined) {
        complain(choices, connection, {
          problem: 'settings-refused',
          frame: given,
          facts: { reasons: [problem] },
        })
        return
      }
      connection.setTimer(() => {
        settings = given
        entry.settled = true
        tell(connection, choices.showEvent({ kind: 'settings-accepted', settings: given }))
      }, choices.timing.settings)
    }

    function hear(piece: Uint8Array): void {
      if (settings === undefined) return
      audio.hear(piece)
      entry.heardMs = audio.heardMs
      const { agentTurn, flush } = choices.timing
      while (audio.heardMs - turnStartMs >= agentTurn) answer(turnStartMs + agentTurn)
      silence.touch(flush)
    }

    /** The user has finished: the agent says what it heard, and what it has to say. */
    function answer(endMs: number): void {
      if (settings === undefined || endMs <= turnStartMs) return
      const heard = wordsBetween(voice, turnStartMs, endMs)
        .map(({ word }) => word)
        .join(' ')
      turnStartMs = endMs
      if (heard === '') return
      const index = turns++
      const reply = scripts.takeReply() ?? choices.agentReply({ settings, heard, index })
      mouth.tell(choices.showEvent({ kind: 'agent-text', role: 'user', text: heard, index }))
      mouth.tell(choices.showEvent({ kind: 'agent-text', role: 'agent', text: reply, index }))
      mouth.speak(reply, () => choices.showEvent({ kind: 'agent-audio-end', index }))
    }

    return {
      message(key, payload) {
        if (key === 'settings') settle(payload as JsonObject)
        else hear(payload as Uint8Array)
      },
      refused(mismatches, frame) {
        if (settings === undefined) return
        complain(choices, connection, {
          problem: 'message-refused',
          frame,
          facts: { reasons: reasonsOf(mismatches) },
        })
      },
      closed: () => connections.closed(entry),
    }
  }
}
