import type { Json, JsonObject } from '../../core/json.ts'
import { createRestTimer } from '../../core/rest-timer.ts'
import { listen } from '../audio/heard-audio.ts'
import type { OpenSpeech } from '../connections.ts'
import type { SpeechChannelHandler, SpeechContext } from '../context.ts'
import type { ConversationValues, TurnStage } from '../model.ts'
import { complain } from '../refusals.ts'
import { wordsBetween, type Voice } from '../scripts.ts'
import { readObject, reasonsOf, tell } from './event.ts'

/** `/v2/listen`: turns that follow the audio, and Configure. */
export function conversation({ choices, connections, scripts }: SpeechContext): SpeechChannelHandler {
  return (connection) => {
    const { query } = connection
    const audio = listen(query, choices)
    const voice: Voice = {
      scripted: scripts.takeWords('conversation'),
      words: choices.words,
      wordMs: choices.wordMs,
    }
    const entry: OpenSpeech = {
      id: connection.id,
      channel: 'conversation',
      openedAt: connection.openedAt,
      heardMs: 0,
    }
    connections.opened(entry)
    let values: ConversationValues = choices.conversationStart
    let index = 0
    let turnStartMs = 0
    let next: TurnStage = 'start'
    let updates = 0
    const silence = createRestTimer(connection, () => {
      if (next !== 'start') end(audio.heardMs)
    })

    function tellTurn(stage: TurnStage, endMs: number): void {
      const words = wordsBetween(voice, turnStartMs, endMs)
      tell(connection, choices.showTurn({ stage, index, words, startMs: turnStartMs, endMs, query }))
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
      while (connection.isOpen) {
        if (next === 'start') {
          if (heardMs <= turnStartMs) return
          begin()
          continue
        }
        const updateAtMs = turnStartMs + updates * choices.turnUpdateMs
        const eagerAtMs = turnStartMs + choices.turnMs - choices.eagerEndMs
        const endAtMs = turnStartMs + choices.turnMs
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
        if (choices.encodingMismatch === 'DATA-0000') {
          complain(choices, connection, 'audio-mismatch')
          return
        }
        voice.isGarbled = true
      }
      if (audio.container && !wasContainer && query.has('language'))
        complain(choices, connection, 'message-refused', {
          reasons: ['language must not be sent for containerized audio'],
        })
      tellUntil(audio.heardMs)
      const timeoutMs = Number(values.thresholds['eot_timeout_ms'])
      silence.touch(Number.isFinite(timeoutMs) ? timeoutMs : 0)
    }

    function configure(message: { thresholds?: JsonObject; keyterms?: readonly string[] }): void {
      const thresholds = { ...values.thresholds, ...message.thresholds }
      const problem = choices.checkThresholds(thresholds as JsonObject)
      if (problem !== undefined) {
        fail(problem)
        return
      }
      const kept = choices.keytermsWhenOmitted === 'keep' ? values.keyterms : []
      values = { thresholds, keyterms: message.keyterms ?? kept }
      connection.send('configureSuccess', { ...choices.showApplied(values), type: 'ConfigureSuccess' })
    }

    function fail(reason: string): void {
      const fields: Record<string, Json> = choices.showConfigureFailure(reason)
      connection.send('configureFailure', { ...fields, type: 'ConfigureFailure' })
    }

    return {
      message(key, payload) {
        if (key === 'configure') configure(payload as Parameters<typeof configure>[0])
        else hear(payload as Uint8Array)
      },
      refused(mismatches, frame) {
        const reasons = reasonsOf(mismatches)
        if (typeof frame === 'string' && readObject(frame)?.['type'] === 'Configure') fail(reasons.join('; '))
        else complain(choices, connection, 'message-refused', { reasons })
      },
      closed: () => connections.closed(entry),
    }
  }
}
