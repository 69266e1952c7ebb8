import { expect, it } from 'vitest'

import { compareNames, namesOf } from '../src/contract-diff.ts'

const contract = JSON.stringify({
  paths: {
    '/lamps': { get: { operationId: 'listLamps', responses: { 200: {}, default: {} } } },
    '/lamps/{id}': { delete: { operationId: 'removeLamp', responses: { 204: {} } } },
  },
  components: {
    schemas: {
      Lamp: { type: 'object', properties: { id: {}, watts: {} } },
      State: { type: 'string', enum: ['on', 'off'] },
    },
  },
})
const changesTo = (edit: (text: string) => string) => compareNames(namesOf(contract), namesOf(edit(contract)))

it('finds no changed names in an unchanged contract', () => {
  expect(changesTo((text) => text)).toEqual({
    added: [],
    addedStatuses: [],
    removed: [],
    renamed: [],
    addedNames: [],
    removedNames: [],
  })
})

it('counts an operation with another id at the same method and path as renamed', () => {
  const { added, removed, renamed } = changesTo((text) => text.replace('listLamps', 'findLamps'))
  expect({ added, removed }).toEqual({ added: [], removed: [] })
  expect(renamed).toEqual([
    {
      from: 'listLamps',
      to: { id: 'findLamps', method: 'GET', path: '/lamps', statuses: ['200', 'default'] },
    },
  ])
})

it('finds added and removed operations', () => {
  const { added, removed } = changesTo((text) =>
    text.replace('"/lamps":', '"/shades":').replace('listLamps', 'listShades'),
  )
  expect(added.map(({ id }) => id)).toEqual(['listShades'])
  expect(removed.map(({ id }) => id)).toEqual(['listLamps'])
})

it('finds new statuses of an operation, but not those of a new operation', () => {
  const { added, addedStatuses } = changesTo((text) =>
    text
      .replace('"204":{}', '"204":{},"404":{},"5XX":{}')
      .replace(
        '"/lamps":',
        '"/shades":{"get":{"operationId":"listShades","responses":{"200":{}}}},"/lamps":',
      ),
  )
  expect(added.map(({ id }) => id)).toEqual(['listShades'])
  expect(addedStatuses).toEqual([
    { id: 'removeLamp', method: 'DELETE', path: '/lamps/{id}', statuses: ['404', '5XX'] },
  ])
})

it('finds properties and values that were added to schemas or removed from them', () => {
  const { addedNames, removedNames } = changesTo((text) =>
    text.replace('watts', 'lumen').replace('"off"', '"off","dim"'),
  )
  expect(addedNames).toEqual([
    { schema: 'Lamp', name: 'lumen', kind: 'property' },
    { schema: 'State', name: 'dim', kind: 'value' },
  ])
  expect(removedNames).toEqual([{ schema: 'Lamp', name: 'watts', kind: 'property' }])
})
