import { expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'
import { extensionProblems } from './extensions.ts'

const words = readDocument('extensions.schema.json')
const document = readDocument('extraction/openapi.yaml')
const job = '/components/schemas/Job'
const getJob = '/paths/~1v1~1jobs~1{job_id}/get'

const problems = (plant: (copy: JsonObject) => void) => extensionProblems(planted(document, plant), words)

/** The problems of the contract with one value set in it. */
const set = (pointer: string, key: string, value: Json) =>
  problems((copy) => {
    at(copy, pointer)[key] = value
  })

it.each([
  ['an unknown word', job, 'x-nullable', true],
  ['an unknown word that begins like a known one', job, 'x-retry-after', 5],
  ['a word where it may not stand', job, 'x-retry', { class: 'safe' }],
  ['a word at an object that has no place for any', '/components', 'x-not-shown', ['All of it.']],
  ['a word at an object that is not walked', '/servers/0/variables/base_url', 'x-not-shown', ['The host.']],
  ['an empty x-not-shown', job, 'x-not-shown', []],
  ['an x-not-shown that is not a list', job, 'x-not-shown', 'The fields.'],
  ['an unknown retry class', getJob, 'x-retry', { class: 'always' }],
  ['statuses of a call that is never sent again', getJob, 'x-retry', { class: 'never', statuses: [429] }],
  ['a success as a status to retry', getJob, 'x-retry', { class: 'safe', statuses: [200] }],
  [
    'an outcome that says neither where to look nor what another call means',
    getJob,
    'x-outcome',
    { id: '/id' },
  ],
  ['an outcome that says both', getJob, 'x-outcome', { lookUp: 'getJob', again: 'repeats' }],
  ['an outcome with an unknown answer', getJob, 'x-outcome', { again: 'sometimes' }],
  ['an outcome whose id is not a pointer', getJob, 'x-outcome', { id: 'id', again: 'repeats' }],
  [
    'a waiter without pending values',
    getJob,
    'x-waiter',
    { status: '/status', success: ['a'], failure: ['b'] },
  ],
  ["a status that isn't a JSON Pointer", `${getJob}/x-waiter`, 'status', 'status'],
  [
    "a delay that isn't a number",
    getJob,
    'x-waiter',
    { ...at(document, `${getJob}/x-waiter`), minDelayMs: 'soon' },
  ],
  ['a move without an end', '/components/schemas/JobStatus', 'x-transitions', [{ from: 'queued' }]],
  ['a secret that is not one', '/components/schemas/DeviceCode/properties/device_code', 'x-secret', false],
  ['an enum that is not open', '/components/schemas/DeviceTokenErrorCode', 'x-open-enum', false],
  ['an unknown meaning', '/components/responses/PageOrRateLimit/x-rate-meaning/0', 'meaning', 'storage'],
  [
    'a match without a value',
    '/components/responses/PageOrRateLimit/x-rate-meaning/0',
    'match',
    { pointer: '/a' },
  ],
])('finds %s', (_, pointer, key, value) => {
  expect(set(pointer, key, value)).not.toEqual([])
})

it('finds an interval with only one end', () => {
  const found = problems((copy) => {
    delete at(copy, `${getJob}/x-waiter`)['maxDelayMs']
  })
  expect(found).toEqual([expect.stringContaining('maxDelayMs')])
})

it('names the place of a word that stands where it may not', () => {
  expect(set(job, 'x-waiter', at(document, `${getJob}/x-waiter`))).toEqual([
    '/components/schemas/Job: x-waiter is not allowed in a schema',
  ])
})

it('takes x- keys in examples and header names for data', () => {
  const found = problems((copy) => {
    at(copy, `${getJob}/responses/200/content/application~1json/examples/queued/value`)['x-anything'] = 1
    at(copy, '/components/responses/ServerError')['headers'] = { 'x-request': { schema: { type: 'string' } } }
  })
  expect(found).toEqual([])
})
