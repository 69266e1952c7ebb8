import { readFileSync } from 'node:fs'

import { parse, stringify } from 'yaml'

/** Phrases to avoid, and what to write instead. */
interface WordGroup {
  readonly write: string
  readonly phrases: readonly string[]
  /** Longer phrases that begin with one of `phrases`, but are fine. */
  readonly except?: readonly string[]
  /** Whether to avoid the phrases only at the start of sentences. If true, case matters, and headings are skipped. */
  readonly startsSentence?: boolean
}

export function readWords(): readonly WordGroup[] {
  return parse(readFileSync(new URL('../words.yaml', import.meta.url), 'utf8')) as readonly WordGroup[]
}

const anySpace = (phrase: string): string => phrase.replaceAll(' ', String.raw`\s+`)

/** Returns the word list in the form that textlint-rule-prh reads. */
export function prhRules(groups: readonly WordGroup[]): string {
  const rules = groups.map(({ write, phrases, except = [], startsSentence = false }) => {
    const start = startsSentence ? '(?<=^|[.!?] )' : String.raw`\b`
    const fine = except.length === 0 ? '' : `(?!(?:${except.join('|')})\\b)`
    const pattern = anySpace(`${start}${fine}(?:${phrases.join('|')})(?!\\w)`)
    return { expected: write, pattern: `/${pattern}/${startsSentence ? 'g' : 'gi'}` }
  })
  return stringify({ version: 1, rules })
}
