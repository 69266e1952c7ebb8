import type { JsonObject } from '../../core/json.ts'
import { createRestTimer } from '../../core/rest-timer.ts'
import { listen } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../connections.ts'
import type { SpeechChannelHandler, SpeechContext } from '../context.ts'
import { complain } from '../refusals.ts'
import { wordsBetween } from '../scripts.ts'
import { reasonsOf, tell } from './event.ts'
import { createMouth } from './mouth.ts'

/** `/v1/agent/converse`: Settings first, then audio both ways. What comes earlier is ignored, without a word. */
export function agent({ choices, connections, scripts }: SpeechContext): SpeechChannelHandler {
  return (connection) => {
    const audio = listen(connection.query, choices)
    const mouth = createMouth(connection, choices)
    const voice = { scripted: scripts.takeWords('agent'), words: choices.words, wordMs: choices.wordMs }
    const entry: OpenSpeech = {
      id: connection.id,
      channel: 'agent',
      openedAt: connection.openedAt,
      heardMs: 0,
      settled: false,
    }
    connections.opened(entry)
    let settings: JsonObject | undefined
    let turnStartMs = 0
    let turns = 0
    const silence = createRestTimer(connection, () => answer(audio.heardMs))

    function settle(given: JsonObject): void {
      if (!choices.isSettings(given)) return
      const problem = choices.checkSettings(given)
      if (problem !== undefined) {
        complain(choices, connection, 'settings-refused', { reasons: [problem] })
        return
      }
      connection.setTimer(() => {
        settings = given
        entry.settled = true
        tell(connection, choices.showSettingsAccepted(given))
      }, choices.settingsMs)
    }

    function hear(piece: Uint8Array): void {
      if (settings === undefined) return
      audio.hear(piece)
      entry.heardMs = audio.heardMs
      while (audio.heardMs - turnStartMs >= choices.agentTurnMs) answer(turnStartMs + choices.agentTurnMs)
      silence.touch(choices.flushMs)
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
      mouth.tell(choices.showAgentText({ role: 'user', text: heard, index }))
      mouth.tell(choices.showAgentText({ role: 'agent', text: reply, index }))
      mouth.speak(reply, () => choices.showAgentAudioEnd({ index }))
    }

    return {
      message(key, payload) {
        if (key === 'settings') settle(payload as JsonObject)
        else hear(payload as Uint8Array)
      },
      refused(mismatches) {
        if (settings !== undefined)
          complain(choices, connection, 'message-refused', { reasons: reasonsOf(mismatches) })
      },
      closed: () => connections.closed(entry),
    }
  }
}
