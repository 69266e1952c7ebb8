import type { Json } from '../core/json.ts'
import type { HeardWord, SpeechEvent, TranscribedFile, TurnStage } from './model.ts'

/**
 * The emulator's own versions of undocumented events and response bodies. `choices.showEvent` and
 * `choices.successResponse` can override them.
 */

const seconds = (ms: number): number => Math.round(ms) / 1000

const showWords = (words: readonly HeardWord[]): Json[] =>
  words.map(({ word, startMs, endMs }) => ({ word, start: seconds(startMs), end: seconds(endMs) }))

const textOf = (words: readonly HeardWord[]): string => words.map(({ word }) => word).join(' ')

const TURN_EVENTS: Readonly<Record<TurnStage, string>> = {
  start: 'turn-start',
  update: 'turn-update',
  'eager-end': 'eager-end-of-turn',
  end: 'end-of-turn',
}

export function showEvent(event: SpeechEvent): Json {
  switch (event.kind) {
    case 'transcript':
      return {
        type: 'Transcript',
        text: textOf(event.words),
        start: seconds(event.startMs),
        end: seconds(event.endMs),
        words: showWords(event.words),
      }
    case 'voice-activity':
      return { type: 'VoiceActivity', at: seconds(event.atMs) }
    case 'utterance-end':
      return { type: 'UtteranceEnd', last_word_end: seconds(event.lastWordEndMs) }
    case 'turn':
      return {
        type: 'Turn',
        event: TURN_EVENTS[event.stage],
        turn_index: event.index,
        text: textOf(event.words),
        start: seconds(event.startMs),
        end: seconds(event.endMs),
        words: showWords(event.words),
      }
    case 'configured':
      return {
        type: 'ConfigureSuccess',
        thresholds: { ...event.values.thresholds },
        keyterms: [...event.values.keyterms],
      }
    case 'configuration-rejected':
      return { type: 'ConfigureFailure', reason: event.reason }
    case 'speech-end':
      return { type: 'SpeechEnd', index: event.index, duration: seconds(event.durationMs) }
    case 'settings-accepted':
      return { type: 'SettingsAccepted' }
    case 'agent-text':
      return { type: 'ConversationText', role: event.role, text: event.text, turn: event.index }
    case 'agent-audio-end':
      return { type: 'AgentAudioEnd', turn: event.index }
  }
}

export const isOn = (query: URLSearchParams, name: string): boolean =>
  query.has(name) && !['false', '0', ''].includes(query.get(name) ?? '')

export function showTranscription({ words, durationMs, query, analysis }: TranscribedFile): Json {
  return {
    text: textOf(words),
    duration: seconds(durationMs),
    words: showWords(words),
    ...(isOn(query, 'summarize') ? { summary: analysis.summary } : {}),
    ...(isOn(query, 'sentiment') ? { sentiment: analysis.sentiment } : {}),
    ...(isOn(query, 'topics') ? { topics: analysis.topics } : {}),
    ...(isOn(query, 'intents') ? { intents: analysis.intents } : {}),
  }
}
