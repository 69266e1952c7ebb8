import { describe, expect, it } from 'vitest'
import {
  AuthenticationError,
  ConnectionError,
  RateLimitedError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '../core/errors.ts'
import { outcomeOf } from '../retry/outcome.ts'
import { fetchTransport } from './fetch-transport.ts'
import { clientFor, createItem, json, rejection } from './test-support/fixtures.ts'

const operation = 'fetchToken'
const response = (status: number) => ({ status, body: undefined, text: '', headers: () => new Headers() })

/** Errors of another call, such as one with which a transport fetched a token. */
const foreignErrors = [
  () => new ConnectionError('foreign', { phase: 'connect', sent: 'no' }, { operation }),
  () => new TimeoutError('foreign', { limitMs: 1, elapsedMs: 1, sent: 'no' }, { operation }),
  () => new AuthenticationError('foreign', response(401)),
  () => new RateLimitedError('foreign', response(429), { retryHelps: true }),
  () =>
    new SubmissionUncertainError('foreign', {
      id: 'another',
      remedy: '',
      submittedAtMs: 0,
      possibleDuplicates: 1,
      submitted: { method: 'POST', path: '/', fields: [] },
    }),
].map((create) => [create().name, create] as const)

describe('the error of another call that a transport throws', () => {
  it.each(foreignErrors)('R-21: is not the outcome of the call: %s', async (_name, create) => {
    let sends = 0
    await using client = clientFor(() => json({}), {
      transport: {
        send({ control }) {
          sends += 1
          control.sent = 'maybe'
          return Promise.reject(create())
        },
      },
    })
    const error = await rejection(client.send(createItem, { body: { name: 'a' } }))
    expect(error).toMatchObject({
      code: 'submission-uncertain',
      cause: { code: 'connection', sent: 'maybe' },
    })
    expect(error).not.toHaveProperty('id', 'another')
    expect(outcomeOf(error)).toBe('uncertain')
    expect(sends).toBe(1)
  })

  it('R-21: is not the response of the service if `fetch` throws it', async () => {
    const page = { contentType: 'text/html', excerpt: '' }
    const fetch = () => Promise.reject(new UnexpectedContentError('foreign', response(403), page))
    await using client = clientFor(() => json({}), { transport: fetchTransport({ fetch }) })
    const error = await rejection(client.send(createItem, { body: { name: 'a' } }))
    expect(error).toMatchObject({ code: 'submission-uncertain', cause: { code: 'connection' } })
  })
})
