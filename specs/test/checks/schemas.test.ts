import { describe, expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { Json } from '../document.ts'
import { keywordProblems, namingProblems, undescribed, unusedSchemas } from './schemas.ts'

const document = readDocument('extraction/openapi.yaml')
const schemas = '/components/schemas'
const job = `${schemas}/Job`
const set = (pointer: string, key: string, value: Json) =>
  planted(document, (copy) => {
    at(copy, pointer)[key] = value
  })

describe('keywords', () => {
  it.each([
    ['one that not every reader expresses', job, 'minProperties', 1, `${job}: uses minProperties`],
    [
      'a sibling of $ref',
      `${job}/properties/status`,
      'default',
      'queued',
      `${job}/properties/status: default is beside $ref`,
    ],
    ['a closed object', job, 'additionalProperties', false, `${job}: is closed to unknown fields`],
  ])('find %s', (_, pointer, key, value, problem) => {
    expect(keywordProblems(set(pointer, key, value))).toEqual([problem])
  })
})

describe('names', () => {
  it.each([
    ['an object', { type: 'object' }],
    ['an enum', { type: 'string', enum: ['a'] }],
    ['an open value', { description: 'Anything.' }],
  ])('are missed at %s in a property', (_, schema) => {
    expect(namingProblems(set(`${job}/properties`, 'extra', schema))).toEqual([
      `${job}/properties/extra: has to be a named schema; move it to components/schemas and refer to it`,
    ])
  })

  it('have to be PascalCase', () => {
    expect(namingProblems(set(schemas, 'job_status', { type: 'string' }))).toEqual([
      `${schemas}/job_status: is not PascalCase`,
    ])
  })

  it('have to be used', () => {
    expect(unusedSchemas(set(schemas, 'Spare', { type: 'string' }))).toEqual([
      `${schemas}/Spare: is not used`,
    ])
    const moves = [{ from: null, to: 'a' }]
    const nowhere = {
      type: 'string',
      enum: ['a'],
      'x-transitions': moves,
      'x-not-shown': ['Where it stands.'],
    }
    expect(unusedSchemas(set(schemas, 'SpareStatus', nowhere))).toEqual([])
  })
})

it.each([job, `${job}/properties/error`])('a missing description is found at %s', (pointer) => {
  const mistaken = planted(document, (copy) => {
    delete at(copy, pointer)['description']
  })
  expect(undescribed(mistaken)).toEqual([`${pointer}: has no description`])
})
