import { beforeAll, expect, it } from 'vitest'

import { at, planted, readDocument, type JsonObject } from '../document.ts'
import { parseAsyncApi } from '../services.ts'
import { eventDisagreements } from './events.ts'

const openapi = readDocument('extraction/openapi.yaml')
const webhook = '/webhooks/jobCompleted/post'
let asyncapi: JsonObject

beforeAll(async () => {
  asyncapi = (await parseAsyncApi('extraction/asyncapi.yaml')).document
})

it.each([
  ['another description', webhook, 'description', 'the description'],
  ['another summary', webhook, 'summary', 'the summary'],
  ['another open place', webhook, 'x-not-shown', 'what is not shown'],
  ['another schema', `${webhook}/requestBody/content/application~1json/schema`, '$ref', 'the payload'],
  ['another property', '/components/schemas/JobCompletedResult/properties/text', 'type', 'the payload'],
  [
    'another example',
    `${webhook}/requestBody/content/application~1json/examples/completed/value`,
    'status',
    'the examples',
  ],
])('finds %s in the OpenAPI document', (_, pointer, key, what) => {
  const other =
    key === '$ref' ? '#/components/schemas/JobCompletedResult' : key === 'x-not-shown' ? ['All.'] : 'integer'
  const mistaken = planted(openapi, pointer, key, other)
  expect(eventDisagreements(mistaken, asyncapi)).toContain(
    `jobCompleted: ${what} is not the same in both documents`,
  )
})

it.each([
  ['another name', '/operations/jobCompleted/messages/0', 'name', 'job.done', 'the name of the event'],
  [
    'another content type',
    '/operations/jobCompleted/messages/0',
    'contentType',
    'text/plain',
    'the content type',
  ],
  ['the other direction', '/operations/jobCompleted', 'action', 'receive', 'the action'],
])('finds %s in the AsyncAPI document', (_, pointer, key, value, what) => {
  const mistaken = planted(asyncapi, pointer, key, value)
  expect(eventDisagreements(openapi, mistaken)).toEqual([
    `jobCompleted: ${what} is not the same in both documents`,
  ])
})

it('finds an event that only one of the documents has', () => {
  const extraWebhook = planted(openapi, '/webhooks', 'jobFailed', at(openapi, '/webhooks/jobCompleted'))
  const extraEvent = planted(asyncapi, '/operations', 'jobFailed', at(asyncapi, '/operations/jobCompleted'))
  expect(eventDisagreements(extraWebhook, asyncapi)).toEqual([
    'jobFailed: is not an operation of the AsyncAPI document',
  ])
  expect(eventDisagreements(openapi, extraEvent)).toEqual([
    'jobFailed: is not a webhook of the OpenAPI document',
  ])
})
