import { invalidScript, Scripts } from '../core/scripts.ts'
import type { HeardWord } from './model.ts'

/** The transcript of the next audio. @public */
export interface TranscriptScript {
  /** The words, said once; after them there is silence. */
  text: string
  /** Where; by default everywhere. `transcribe` is the REST call. */
  readonly on?: 'transcribe' | 'liveTranscription' | 'conversation' | 'agent'
  /** For how many files or connections; by default one. */
  readonly times?: number | 'always'
}

/** The next reply of the agent. @public */
export interface ReplyScript {
  text: string
  /** For how many turns; by default one. */
  readonly times?: number | 'always'
}

/** The scripts that haven't run yet. */
export class SpeechScripts {
  readonly #transcripts = new Scripts<TranscriptScript>()
  readonly #replies = new Scripts<ReplyScript>()

  addTranscript(script: TranscriptScript): void {
    this.#transcripts.add(withText(script))
  }

  addReply(script: ReplyScript): void {
    this.#replies.add(withText(script))
  }

  /** Returns the words of the next audio; `undefined` if no script is pending. */
  takeWords(on: NonNullable<TranscriptScript['on']>): readonly string[] | undefined {
    const script = this.#transcripts.take((one) => one.on === undefined || one.on === on)
    return script?.text.split(/\s+/).filter((word) => word !== '')
  }

  takeReply(): string | undefined {
    return this.#replies.take()?.text
  }

  clear(): void {
    this.#transcripts.clear()
    this.#replies.clear()
  }
}

function withText<S extends { text: string }>(script: S): S {
  if (typeof script.text !== 'string') throw invalidScript('`text` must be a string')
  return script
}

/** The words in some audio. */
export interface Voice {
  readonly scripted: readonly string[] | undefined
  readonly words: readonly string[]
  readonly wordMs: number
  /** Whether its words are not understood. */
  isGarbled?: boolean
}

const garble = (word: string): string => [...word].toReversed().join('')

/** The words that end within a stretch of audio. Scripted words are said once, the others over and over. */
export function wordsBetween(
  { scripted, words, wordMs, isGarbled }: Voice,
  startMs: number,
  endMs: number,
): HeardWord[] {
  const list = scripted ?? words
  const heard: HeardWord[] = []
  if (list.length === 0) return heard
  // A word takes four fifths of its time; the rest is the gap before the next.
  for (let index = Math.max(0, Math.floor(startMs / wordMs) - 1); ; index++) {
    const wordStartMs = index * wordMs
    const wordEndMs = wordStartMs + wordMs * 0.8
    if (wordEndMs > endMs || (scripted && index >= scripted.length)) return heard
    if (wordEndMs <= startMs) continue
    const word = list[index % list.length] ?? ''
    heard.push({ word: isGarbled ? garble(word) : word, startMs: wordStartMs, endMs: wordEndMs })
  }
}
