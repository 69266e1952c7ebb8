import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

import type * as Yaml from 'yaml'

/** The contract from which the measured clients are generated. */
export const CONTRACT_PATH = fileURLToPath(import.meta.resolve('@concord/specs/extraction/openapi.yaml'))

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly examples: Examples }>> }>
  >
}

type Examples = Readonly<Record<string, { readonly value: unknown }>>

/** Returns an example of a 200 response from the contract. */
export function contractExample(method: string, path: string, name: string): Record<string, unknown> {
  // The YAML parser isn't imported at the top of this file, because it would enlarge the heap of every process that
  // imports this file. The bench measures the memory of some of these processes.
  const { parse } = createRequire(import.meta.url)('yaml') as typeof Yaml
  const { paths } = parse(readFileSync(CONTRACT_PATH, 'utf8')) as Contract
  const example = paths[path]?.[method]?.responses['200']?.content['application/json']?.examples[name]
  if (example === undefined)
    throw new Error(`${CONTRACT_PATH} has no example \`${name}\` at ${method} ${path}`)
  return example.value as Record<string, unknown>
}

export const completedJob = () => contractExample('get', '/v1/jobs/{job_id}', 'completed')

export const submission = () => contractExample('post', '/v1/process', 'accepted')

/** Counts the strings, numbers, booleans and nulls in a JSON value. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each) => sum + countValues(each), 0)
}

/** A message of live transcription: nine words with their times. */
export interface Transcript {
  readonly type: 'Transcript'
  readonly start: number
  readonly duration: number
  readonly final: boolean
  readonly text: string
  readonly words: readonly {
    readonly word: string
    readonly start: number
    readonly end: number
    readonly confidence: number
  }[]
}

const WORDS = ['paper', 'boats', 'in', 'the', 'rain', 'are', 'drifting', 'slowly', 'down']
const transcripts = new Map<number, string>()

/** Returns a transcript as JSON. Only 1000 transcripts exist: number 1000 returns the same transcript as number 0. */
export function transcript(number: number): string {
  const kind = number % 1000
  const text = transcripts.get(kind) ?? JSON.stringify(makeTranscript(kind))
  transcripts.set(kind, text)
  return text
}

function makeTranscript(number: number): Transcript {
  const words = WORDS.map((word, index) => ({
    word,
    start: number + index / 4,
    end: number + (index + 1) / 4,
    confidence: 0.9,
  }))
  const duration = WORDS.length / 4
  return {
    type: 'Transcript',
    start: number,
    duration,
    final: number % 2 === 0,
    text: WORDS.join(' '),
    words,
  }
}
