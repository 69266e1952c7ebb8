import { EmulatorOptionsError } from '../core/errors.ts'
import type { HeardWord } from './model.ts'

/** What is heard in the next audio. @public */
export interface TranscriptScript {
  /** The words, said once; after them there is silence. */
  text: string
  /** Where; by default everywhere. `transcribe` is the REST call. */
  on?: 'transcribe' | 'liveTranscription' | 'conversation' | 'agent'
  /** For how many files or connections; by default one. */
  times?: number | 'always'
}

/** What the agent answers next. @public */
export interface ReplyScript {
  text: string
  /** For how many turns; by default one. */
  times?: number | 'always'
}

/** What was asked for, and is still to come. */
export interface Scripts {
  addTranscript(script: TranscriptScript): void
  addReply(script: ReplyScript): void
  /** The words of the next audio; nothing where none were asked for. */
  takeWords(on: NonNullable<TranscriptScript['on']>): readonly string[] | undefined
  takeReply(): string | undefined
  clear(): void
}

/** Makes an empty set of scripts. */
export function createScripts(): Scripts {
  let transcripts: { script: TranscriptScript; left: number }[] = []
  let replies: { script: ReplyScript; left: number }[] = []

  function countOf({ text, times = 1 }: { text: string; times?: number | 'always' }): number {
    if (typeof text !== 'string') throw new EmulatorOptionsError('A script needs a text.')
    if (times === 'always') return Infinity
    if (Number.isInteger(times) && times > 0) return times
    throw new EmulatorOptionsError('times must be a whole number above 0, or "always".')
  }

  function use<T extends { left: number }>(entry: T | undefined): T | undefined {
    if (entry) entry.left--
    transcripts = transcripts.filter(({ left }) => left > 0)
    replies = replies.filter(({ left }) => left > 0)
    return entry
  }

  return {
    addTranscript: (script) => void transcripts.push({ script, left: countOf(script) }),
    addReply: (script) => void replies.push({ script, left: countOf(script) }),
    takeWords: (on) =>
      use(transcripts.find(({ script }) => script.on === undefined || script.on === on))
        ?.script.text.split(/\s+/)
        .filter((word) => word !== ''),
    takeReply: () => use(replies[0])?.script.text,
    clear() {
      transcripts = []
      replies = []
    },
  }
}

/** What is said in some audio. */
export interface Voice {
  scripted: readonly string[] | undefined
  words: readonly string[]
  wordMs: number
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
