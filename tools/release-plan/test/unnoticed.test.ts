import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'

import { PlanError } from '../src/index.ts'
import { compareTexts, edited } from './support.ts'

/** Members that are redundant, so that removing them changes nothing. */
const REDUNDANT = [
  // The values of an enum and of a constant have a type.
  /\/(Status|Carrier|size|speed|mood|zone|detail|pace)(\/schema)?\/type$/,
  /parameters\/1\/schema\/type$/,
  // By default, replies use the same channel, and an operation has all messages of its channel.
  /reply\/channel(\/\$ref)?$/,
  /tellLines\/messages$/,
]

/** Returns the path of every member and item of a document. */
function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [
    [...path, key],
    ...placesIn(member, [...path, key]),
  ])
}

/** Returns a document without one of its members or items. */
function without(document: unknown, path: readonly string[]): string {
  const copy = structuredClone(document) as Record<string, never>
  const holder = path.slice(0, -1).reduce((value, key) => value[key]!, copy)
  const last = path.at(-1) ?? ''
  if (Array.isArray(holder)) holder.splice(Number(last), 1)
  else delete holder[last]
  return JSON.stringify(copy)
}

const texts = edited([])
const documents = Object.entries(texts).map(([file, text]) => ({ file, document: parse(text) as unknown }))
const base = Object.fromEntries(documents.map(({ file, document }) => [file, JSON.stringify(document)]))
/** Tries one of this many, since all of them would take ten seconds. */
const SAMPLE = 7

describe('a removed member', () => {
  it('reports every removed member of a contract as a change, or rejects the contract', () => {
    const unnoticed = documents.flatMap(({ file, document }) =>
      placesIn(document)
        .filter((_, at) => at % SAMPLE === 0)
        .filter((path) => !REDUNDANT.some((pattern) => pattern.test(path.join('/'))))
        .filter((path) => {
          try {
            const [first] = compareTexts(base, { ...base, [file]: without(document, path) })
            return first === undefined || first.kind === 'unused-changed'
          } catch (error) {
            if (error instanceof PlanError) return false
            throw error
          }
        })
        .map((path) => `${file} /${path.join('/')}`),
    )

    expect(unnoticed).toEqual([])
  })
})
