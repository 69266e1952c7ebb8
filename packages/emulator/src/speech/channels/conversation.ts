import type { JsonObject } from '../../core/json.ts'
import { createRestTimer } from '../../core/rest-timer.ts'
import { listen } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../connections.ts'
import type { SpeechChannelHandler, SpeechContext } from '../context.ts'
import type { ConversationValues, TurnStage } from '../model.ts'
import { reasonsOf } from '../../core/refusals.ts'
import { complain } from '../problems.ts'
import { wordsBetween, type Voice } from '../scripts.ts'
import { greet, readObject, tell } from './event.ts'

/** `/v2/listen`: turns that follow the audio, and Configure. */
export function conversation({ choices, connections, scripts }: SpeechContext): SpeechChannelHandler {
  return (connection) => {
    const { query } = connection
    const audio = listen(query, choices)
    const voice: Voice = {
      scripted: scripts.takeWords('conversation'),
      ...choices.hearing,
    }
    const entry: OpenSpeech = {
      id: connection.id,
      channel: 'conversation',
      openedAt: connection.openedAt,
      heardMs: 0,
    }
    connections.opened(entry)
    greet(choices, connection)
    const { thresholds, keyterms } = choices.conversation
    let values: ConversationValues = { thresholds, keyterms }
    let index = 0
    let turnStartMs = 0
    let next: TurnStage = 'start'
    let updates = 0
    const silence = createRestTimer(connection, () => {
      if (next !== 'start') end(audio.heardMs)
    })

    function tellTurn(stage: TurnStage, endMs: number): void {
      const words = wordsBetween(voice, turnStartMs, endMs)
      tell(
        connection,
        choices.showEvent({ kind: 'turn', stage, index, words, startMs: turnStartMs, endMs, query }),
      )
    }

    function begin(): void {
      tellTurn('start', turnStartMs)
      next = 'update'
      updates = 1
    }

    function end(endMs: number): void {
      if (next === 'update') tellTurn('eager-end', endMs)
      tellTurn('end', endMs)
      index++
      turnStartMs = endMs
      next = 'start'
    }

    /** Tells everything that is due with so much audio, in order. */
    function tellUntil(heardMs: number): void {
      const { turn, turnUpdate, eagerEnd } = choices.timing
      while (connection.isOpen) {
        if (next === 'start') {
          if (heardMs <= turnStartMs) return
          begin()
          continue
        }
        const updateAtMs = turnStartMs + updates * turnUpdate
        const eagerAtMs = turnStartMs + turn - eagerEnd
        const endAtMs = turnStartMs + turn
        if (next === 'update' && updateAtMs < eagerAtMs) {
          if (updateAtMs > heardMs) return
          tellTurn('update', updateAtMs)
          updates++
        } else if (next === 'update') {
          if (eagerAtMs > heardMs) return
          tellTurn('eager-end', eagerAtMs)
          next = 'eager-end'
        } else {
          if (endAtMs > heardMs) return
          end(endAtMs)
        }
      }
    }

    function hear(piece: Uint8Array): void {
      const wasContainer = audio.container !== undefined
      audio.hear(piece)
      entry.heardMs = audio.heardMs
      if (audio.container && query.has('encoding')) {
        const outcome = choices.encodingMismatch('conversation')
        if (outcome === 'DATA-0000') {
          complain(choices, connection, { problem: 'audio-mismatch', frame: piece })
          return
        }
        voice.isGarbled = outcome === 'garbled'
      }
      if (audio.container && !wasContainer && query.has('language'))
        complain(choices, connection, {
          problem: 'message-refused',
          frame: piece,
          facts: { reasons: ['language must not be sent for containerized audio'] },
        })
      tellUntil(audio.heardMs)
      const timeoutMs = Number(values.thresholds['eot_timeout_ms'])
      silence.touch(Number.isFinite(timeoutMs) ? timeoutMs : 0)
    }

    function configure(message: { thresholds?: JsonObject; keyterms?: readonly string[] }): void {
      const thresholds = { ...values.thresholds, ...message.thresholds }
      const problem = choices.checkConfiguration({
        channel: 'conversation',
        values: thresholds as JsonObject,
      })
      if (problem !== undefined) {
        complain(choices, connection, {
          problem: 'configure-refused',
          frame: message as JsonObject,
          facts: { reasons: [problem] },
        })
        return
      }
      const kept = choices.conversation.keytermsWhenOmitted === 'keep' ? values.keyterms : []
      values = { thresholds, keyterms: message.keyterms ?? kept }
      tell(connection, choices.showEvent({ kind: 'configured', values }))
    }

    return {
      message(key, payload) {
        if (key === 'configure') configure(payload as Parameters<typeof configure>[0])
        else hear(payload as Uint8Array)
      },
      refused(mismatches, frame) {
        const isConfigure = typeof frame === 'string' && readObject(frame)?.['type'] === 'Configure'
        complain(choices, connection, {
          problem: isConfigure ? 'configure-refused' : 'message-refused',
          frame,
          facts: { reasons: reasonsOf(mismatches) },
        })
      },
      closed: () => connections.closed(entry),
    }
  }
}
