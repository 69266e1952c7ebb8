import { expect, it } from 'vitest'

import { ConcordError } from '../core/errors.ts'
import type { RateLimit } from '../limit/limits.ts'
import { outcomeOf } from '../retry/outcome.ts'
import { scriptedTransport } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { clientFor } from './test-support/clients.ts'
import { createItem, getItem, input, item, json, rejection } from './test-support/fixtures.ts'

class AwayError extends ConcordError {
  static override readonly errorName: string = 'AwayError'

  constructor() {
    super('database', 'The database is away.')
  }
}

it('R-47: every attempt waits for the rate limit of the client, retries too, and `timeoutMs` does not run meanwhile', async () => {
  const clock = virtualClock()
  const transport = scriptedTransport(json({}, { status: 503 }), json(item))
  let asked = 0
  const rateLimit: RateLimit = {
    async acquire() {
      asked++
      await new Promise<void>((resolve) => clock.setTimer(resolve, 300_000))
    },
  }
  const client = clientFor(transport, { clock, rateLimit, timeoutMs: 1000 })
  expect(await client.send(getItem, input)).toEqual(item)
  expect(asked).toBe(2)
  expect(clock.monotonic()).toBeGreaterThanOrEqual(600_000)
})

it('R-47: the deadline of a call ends its wait for the rate limit, and nothing is sent', async () => {
  const virtual = virtualClock()
  const clock = { ...virtual, monotonic: () => virtual.monotonic() + 5_000 }
  const transport = scriptedTransport(json(item))
  const signals: AbortSignal[] = []
  const rateLimit: RateLimit = {
    acquire({ signal }) {
      signals.push(signal!)
      return new Promise(() => undefined)
    },
  }
  const client = clientFor(transport, { clock, rateLimit })
  expect(await rejection(client.send(getItem, input, { deadline: '5s' }))).toMatchObject({
    code: 'deadline',
    sent: 'no',
  })
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  expect(virtual.elapsedMs).toBe(5_000)
  expect(transport.requests).toEqual([])
})

it('R-47: a submission that a database did not let through was not sent, and may be repeated', async () => {
  const away = { acquire: () => Promise.reject(new AwayError()) }
  const transport = scriptedTransport(json(item))
  const client = clientFor(transport, { clock: virtualClock(), rateLimit: away })
  const error = await rejection(client.send(createItem, { body: { name: 'a' } }))
  expect(error).toBeInstanceOf(AwayError)
  expect(outcomeOf(error)).toBe('not-sent')
  expect(transport.requests).toEqual([])
  let calls = 0
  const back = { acquire: () => (++calls === 1 ? away.acquire() : Promise.resolve()) }
  const patient = clientFor(transport, { clock: virtualClock(), rateLimit: back })
  expect(await patient.send(getItem, input)).toEqual(item)
})
