import {
  ApiError,
  ConnectionError,
  NotFoundError,
  OperationFailedError,
  RateLimitedError,
  RequestInvalidError,
} from '@concord/runtime'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { Media } from '../src/index.ts'
import { boats, byPrompt, json, offline, rejection, SECRET } from './support.ts'

const response = (status: number) => ({ status, body: undefined, text: '', headers: () => new Headers() })

/** Errors that another library, or another call of this one, may have thrown. */
const foreign = [
  ['a plain error', new Error('the vault is sealed')],
  ['a connection that may have been used', new ConnectionError('x', { phase: 'send', sent: 'maybe' })],
  ['a rate limit', new RateLimitedError('x', response(429), { retryHelps: true })],
  ['an unknown id', new NotFoundError('x', response(404))],
  ['a denied request', new ApiError('x', response(422))],
  ['an invalid request', new RequestInvalidError('x', [])],
] as const

function scene(apiSecret: () => string) {
  const clock = virtualClock()
  const submitted: string[] = []
  const transport = memoryTransport(({ method }) => {
    if (method === 'DELETE') return new Response(null, { status: 204 })
    if (method === 'POST') submitted.push('task')
    return json({ id: 'task', status: method === 'POST' ? undefined : 'RUNNING', createdAt: '2026-01-01' })()
  })
  const media = new Media({
    baseUrl: 'https://media.example',
    apiSecret,
    clock,
    random: () => 0.5,
    onDrift: () => {},
    transport,
  })
  onTestFinished(() => media.close())
  return { media, clock, submitted }
}

describe('an error that the secret function throws', () => {
  it.each(foreign)('R-37: is the outcome `not-sent` of a submission in a batch: %s', async (_what, error) => {
    let reads = 0
    const { media, submitted } = scene(() => {
      reads += 1
      throw error
    })
    const report = await media.batch(boats(1))
    expect(report.outcomes).toMatchObject([{ outcome: 'not-sent', error }])
    expect(report.outcomes[0]).not.toHaveProperty('status')
    expect([reads, submitted.length]).toEqual([1, 0])
  })

  it('R-33: does not say that a canceled task is gone', async () => {
    const error = new NotFoundError('no such secret', response(404))
    let isSealed = false
    const { media } = scene(() => {
      if (isSealed) throw error
      return SECRET
    })
    const task = media.task('00000000-0000-4000-8000-000000000001')
    await task.cancel()
    isSealed = true
    expect(await rejection(task.wait())).toBe(error)
  })
})

it('R-37: work of another service that fails while outputs are stored is not a failed task', async () => {
  const error = new OperationFailedError('the upload failed', { id: 'a', reason: 'no room', advice: 'none' })
  const { media } = await offline({}, { media: { credits: 1_000_000, choices: byPrompt } })
  const report = await media.batch(boats(1), {
    store() {
      throw error
    },
  })
  expect(report.outcomes).toMatchObject([{ outcome: 'unfinished', error }])
})
