import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { fileOf, objectAt, readDocument } from './document.ts'
import { services, servicesWithEvents } from './services.ts'

const schema = readDocument('extensions.schema.json')
const words = Object.keys(objectAt(schema, '$defs')).filter((name) => name.startsWith('x-'))

it('the schema defines each word, the objects that may have it, and its use in the root schema', () => {
  expect(Object.keys(objectAt(schema, 'properties')).toSorted()).toEqual(words.toSorted())
  for (const word of words) {
    const places = objectAt(objectAt(schema, '$defs'), word)['x-allowed-on']
    expect(Array.isArray(places) && places.length > 0, word).toBe(true)
  }
})

it('extensions.md explains exactly the words in the schema', () => {
  const text = readFileSync(fileOf('extensions.md'), 'utf8')
  const headings = [...text.matchAll(/^## (x-[a-z-]+)$/gm)].map(([, word]) => word)
  const rows = [...text.matchAll(/^\| \[`(x-[a-z-]+)`\]/gm)].map(([, word]) => word)
  expect(headings.toSorted()).toEqual(words.toSorted())
  expect(rows).toEqual(headings)
})

/** The generator also reads contracts of other teams. No service here returns lists in pages. */
const forOtherContracts = ['x-pagination']

const contracts = [
  ...services.map((service) => `${service}/openapi.yaml`),
  ...servicesWithEvents.map((service) => `${service}/asyncapi.yaml`),
]

it.each(contracts)('defines every x- word of %s', (contract) => {
  const text = readFileSync(fileOf(contract), 'utf8')
  const used = new Set([...text.matchAll(/^[ -]*(x-[\w-]+):/gm)].map(([, word = '']) => word))
  expect(words).toEqual(expect.arrayContaining([...used]))
})

it('every word is used by a contract, except those for contracts elsewhere', () => {
  const text = contracts.map((contract) => readFileSync(fileOf(contract), 'utf8')).join('\n')
  expect(words.filter((word) => !text.includes(`${word}:`))).toEqual(forOtherContracts)
})
