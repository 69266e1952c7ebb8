import { describe, expect, it } from 'vitest'

import { planted, readDocument } from '../document.ts'
import { keywordProblems, namingProblems, undescribed } from './schemas.ts'

const document = readDocument('extraction/openapi.yaml')
const schemas = '/components/schemas'
const job = `${schemas}/Job`
const plant = (pointer: string, key: string, value?: unknown) => planted(document, pointer, key, value)

describe('keywords', () => {
  it.each([
    ['a keyword that not every reader expresses', job, 'minProperties', 1, `${job}: uses minProperties`],
    [
      'a sibling of $ref',
      `${job}/properties/status`,
      'default',
      'queued',
      `${job}/properties/status: default is beside $ref`,
    ],
    ['a closed object', job, 'additionalProperties', false, `${job}: is closed to unknown fields`],
  ])('finds %s in a schema', (_, pointer, key, value, problem) => {
    expect(keywordProblems(plant(pointer, key, value))).toEqual([problem])
  })
})

describe('names', () => {
  it.each([
    ['an object', { type: 'object' }],
    ['an enum', { type: 'string', enum: ['a'] }],
    ['an open value', { description: 'Anything.' }],
  ])('finds %s without a name in a property', (_, schema) => {
    expect(namingProblems(plant(`${job}/properties`, 'extra', schema))).toEqual([
      `${job}/properties/extra: has to be a named schema; move it to components/schemas and refer to it`,
    ])
  })

  it('finds the name of a schema that is not PascalCase', () => {
    expect(namingProblems(plant(schemas, 'job_status', { type: 'string' }))).toEqual([
      `${schemas}/job_status: is not PascalCase`,
    ])
  })
})

it.each([job, `${job}/properties/error`])('finds a missing description at %s', (pointer) => {
  const mistaken = plant(pointer, 'description')
  expect(undescribed(mistaken)).toEqual([`${pointer}: has no description`])
})
