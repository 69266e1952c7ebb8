/** The result of analyzing text. @public */
export interface TextAnalysis {
  readonly summary: string
  readonly sentiment: string
  readonly topics: string[]
  readonly intents: string[]
}

const GOOD = new Set(['good', 'great', 'happy', 'nice', 'thanks', 'quiet', 'love', 'fine', 'well'])
const BAD = new Set(['bad', 'late', 'sad', 'angry', 'broken', 'nobody', 'hate', 'worst', 'never'])
const COMMON = new Set([
  'about',
  'again',
  'their',
  'there',
  'these',
  'those',
  'would',
  'could',
  'should',
  'where',
])

/** Analyzes text by counting its words. */
export function analyze(text: string): TextAnalysis {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const mood = words.reduce((sum, word) => sum + Number(GOOD.has(word)) - Number(BAD.has(word)), 0)
  const counts = new Map<string, number>()
  for (const word of words)
    if (word.length > 4 && !COMMON.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const topics = [...counts].sort(([, left], [, right]) => right - left).slice(0, 3)
  return {
    summary: (/^[^.!?]*[.!?]?/.exec(text.trim())?.[0] ?? '').slice(0, 200),
    sentiment: mood > 0 ? 'positive' : mood < 0 ? 'negative' : 'neutral',
    topics: topics.map(([topic]) => topic),
    intents: text.includes('?') ? ['question'] : [],
  }
}
