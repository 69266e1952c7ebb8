import { invalidScript, type Scripts } from '../core/scripts.ts'
import type { HeardWord } from './model.ts'

/** Sets the words that the emulator hears in the next audio, whatever the audio contains. @public */
export interface TranscriptScript {
  /** The words, spoken once and followed by silence. */
  text: string
  /** Limits the script to one channel, or to POST /v1/listen (`transcribe`). By default, it applies to all audio. */
  readonly on?: 'transcribe' | 'liveTranscription' | 'conversation' | 'agent'
  /** How many files or connections the script applies to; by default one. */
  readonly times?: number | 'always'
}

/** A script for the agent's next reply. @public */
export interface ReplyScript {
  text: string
  /** How many turns the script applies to; by default one. */
  readonly times?: number | 'always'
}

/** @throws EmulatorOptionsError if the script is invalid. */
export function checkScript({ text }: TranscriptScript | ReplyScript): void {
  if (typeof text !== 'string') throw invalidScript('`text` must be a string')
}

/** Returns the words of the next script that applies to `on`. This counts as one use of the script. */
export function takeWords(
  transcripts: Scripts<TranscriptScript>,
  on: NonNullable<TranscriptScript['on']>,
): readonly string[] | undefined {
  const script = transcripts.take((one) => one.on === undefined || one.on === on)
  return script?.text.split(/\s+/).filter((word) => word !== '')
}

/** The source of the words that the emulator hears in audio. */
export interface Voice {
  readonly scripted: readonly string[] | undefined
  readonly words: readonly string[]
  readonly wordMs: number
  readonly isGarbled: boolean
}

const garble = (word: string): string => [...word].toReversed().join('')

/** Returns the words that end between two times. A script is spoken once. Without a script, `words` is repeated. */
export function wordsBetween(
  { scripted, words, wordMs, isGarbled }: Voice,
  startMs: number,
  endMs: number,
): HeardWord[] {
  const list = scripted ?? words
  const heard: HeardWord[] = []
  if (list.length === 0) return heard
  // A word lasts 80% of `wordMs`. The remaining 20% is the gap before the next word.
  for (let index = Math.max(0, Math.floor(startMs / wordMs) - 1); ; index++) {
    const wordStartMs = index * wordMs
    const wordEndMs = wordStartMs + wordMs * 0.8
    if (wordEndMs > endMs || (scripted && index >= scripted.length)) return heard
    if (wordEndMs <= startMs) continue
    const word = list[index % list.length] ?? ''
    heard.push({ word: isGarbled ? garble(word) : word, startMs: wordStartMs, endMs: wordEndMs })
  }
}
