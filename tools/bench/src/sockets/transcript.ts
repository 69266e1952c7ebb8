const WORDS = ['paper', 'boats', 'in', 'the', 'rain', 'are', 'drifting', 'slowly', 'down']

const made = new Map<number, string>()

/** A message as live transcriptions are: nine words with their times. The numbered ones are all different. */
export function transcript(number: number): string {
  const kind = number % 1000
  let text = made.get(kind)
  if (text === undefined) {
    text = JSON.stringify(makeTranscript(kind))
    made.set(kind, text)
  }
  return text
}

export interface Transcript {
  readonly type: 'Transcript'
  readonly start: number
  readonly duration: number
  readonly final: boolean
  readonly text: string
  readonly words: readonly Word[]
}

export interface Word {
  readonly word: string
  readonly start: number
  readonly end: number
  readonly confidence: number
}

function makeTranscript(number: number): Transcript {
  const words = WORDS.map((word, index) => ({
    word,
    start: number + index / 4,
    end: number + (index + 1) / 4,
    confidence: 0.9,
  }))
  const text = WORDS.join(' ')
  return {
    type: 'Transcript',
    start: number,
    duration: WORDS.length / 4,
    final: number % 2 === 0,
    text,
    words,
  }
}
