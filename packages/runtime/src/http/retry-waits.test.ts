import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RetryBudget } from './client-state.ts'
import { clientRetry } from './client-retry.ts'
import { clientFor, scene, status } from './test-support/clients.ts'
import { getItem, input, item, json, rejection } from './test-support/fixtures.ts'

const ok = json(item)

it('R-22: waits between attempts are random, from 0 to the doubled base, up to the cap', async () => {
  const { client, retries } = scene([status(503)], {
    random: () => 0.999,
    retry: { maxAttempts: 9, baseMs: 500, capMs: 20_000 },
  })
  await rejection(client.send(getItem, input))
  expect(retries.map(({ delayMs }) => Math.round(delayMs / 0.999))).toEqual([
    500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000,
  ])
})

it.each([
  ['is never shorter than Retry-After in seconds', { 'retry-after': '7' }, 7000],
  [
    'is never shorter than Retry-After as a date, according to the clock of the server',
    { date: 'Wed, 01 Apr 2020 10:00:00 GMT', 'retry-after': 'Wed, 01 Apr 2020 10:00:09 GMT' },
    9000,
  ],
  ['is the ordinary back-off for an invalid Retry-After', { 'retry-after': 'soon' }, 250],
])('R-23: a wait %s', async (_, headers, elapsedMs) => {
  const { client, clock } = scene([status(503, headers), ok])
  await client.send(getItem, input)
  expect(clock.elapsedMs).toBe(elapsedMs)
})

it('R-23: a Retry-After longer than the deadline throws the real error at once', async () => {
  const { client, clock, transport } = scene([status(429, { 'retry-after': '30' }), ok])
  const error = await rejection(client.send(getItem, input, { deadline: '20s' }))
  expect(error).toMatchObject({ name: 'RateLimitedError', retryAfterMs: 30_000 })
  expect(clock.elapsedMs).toBe(0)
  expect(transport.requests).toHaveLength(1)
})

it('R-23: a wait does not last an hour even without a deadline', async () => {
  const { client, clock } = scene([status(429, { 'retry-after': '3600' }), ok])
  expect(await rejection(client.send(getItem, input))).toMatchObject({ retryAfterMs: 3_600_000 })
  expect(clock.elapsedMs).toBe(0)
  const patient = scene([status(429, { 'retry-after': '3600' }), ok], {
    retry: { maxRetryAfterMs: 4_000_000 },
  })
  expect(await patient.client.send(getItem, input)).toEqual(item)
})

it('R-24: in a full outage, the load is at most 1.1 times the calls once the bucket is empty', async () => {
  const { client, transport } = scene([status(503)])
  const send = () => rejection(client.send(getItem, input))
  while (transport.requests.length < 60) await send()
  const before = transport.requests.length
  for (let call = 0; call < 500; call++) await send()
  expect(transport.requests.length - before).toBeLessThanOrEqual(550)
  expect(transport.requests.length - before).toBeGreaterThan(540)
})

it('R-24: the retry budget holds exactly, for any budget and number of calls', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 50 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 500 }),
      (capacity, perCall, calls) => {
        const budget = new RetryBudget({ capacity, perCall })
        while (budget.withdraw());
        let retries = 0
        for (let call = 0; call < calls; call++) {
          budget.deposit()
          while (budget.withdraw()) retries++
        }
        expect(retries).toBeLessThanOrEqual(perCall * calls)
      },
    ),
  )
})

it('R-24: the retries of a flow end with its client, and with the signal of the client, if any', () => {
  const { signal } = new AbortController()
  const plain = clientFor(() => json({}))
  expect(clientRetry(plain, 'flow').signals).toHaveLength(1)
  const client = clientFor(() => json({}), { signal })
  const { signals } = clientRetry(client, 'flow')
  expect(signals).toHaveLength(2)
  expect(signals[0]).toBe(signal)
  client.close()
  expect(signals[1]?.aborted).toBe(true)
  expect(() => clientRetry(client, 'flow')).toThrow(/flow: the client is closed/)
})
