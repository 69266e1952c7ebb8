import { createClient, NotFoundError, type OperationDescriptor, RateLimitedError } from '@concord/runtime'
import { memoryTransport } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { pollFailure, submissionFailure } from '../src/jobs/outcomes.ts'

const response = (status: number) => ({
  status,
  body: undefined,
  text: '',
  headers: () => new Headers(),
  retryAfterMs: 5_000,
})

const operation: OperationDescriptor<object, unknown> = {
  id: 'submit',
  method: 'POST',
  path: '/v1/work',
  server: 'api',
  security: ['key'],
  parameters: [],
  responses: { 200: { kind: 'json' } },
  retry: { class: 'never' },
  secrets: [],
}

it.each([
  ['an unknown id', new NotFoundError('no such secret', response(404))],
  ['a rate limit', new RateLimitedError('the vault is busy', response(429), { retryHelps: true })],
  ['no error', undefined],
])('R-37: a credential that cannot be read says nothing about the work: %s', async (_what, error) => {
  const value = (): string => {
    throw error
  }
  await using client = createClient({
    servers: { api: 'http://service.test' },
    credentials: { key: { in: 'header', name: 'X-API-Key', value } },
    transport: memoryTransport(() => new Response()),
  })
  const thrown: unknown = await client.send(operation, {}).catch((reason: unknown) => reason)
  expect(thrown).toBe(error)
  expect(pollFailure(thrown)).toMatchObject({ concerns: 'job', retryAfterMs: undefined })
  expect(submissionFailure(thrown)).toMatchObject({
    outcome: error === undefined ? 'uncertain' : 'not-sent',
    canRetry: error !== undefined,
    retryAfterMs: undefined,
  })
})
