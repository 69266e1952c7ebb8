import { ConnectionError, Semaphore } from '@concord/runtime'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { Media, type BatchOutcome } from '../src/index.ts'
import { boats, failed, json, memoryJournal, rejection, scripted, SECRET, succeeded } from './support.ts'

/** A client whose submissions get these responses in order, each after its delay, and when they were sent. */
function answering(responses: readonly (readonly [delayMs: number, response: () => Response])[]) {
  const clock = virtualClock()
  const sentAtMs: number[] = []
  const media = new Media({
    baseUrl: 'https://media.example',
    apiSecret: SECRET,
    clock,
    random: () => 0.5,
    onDrift: () => {},
    transport: memoryTransport(async ({ method, url }) => {
      if (method !== 'POST') return succeeded(url.split('/').at(-1) ?? '')()
      const [delayMs, response] = responses[sentAtMs.length] ?? [0, json({ id: `task-${sentAtMs.length}` })]
      sentAtMs.push(clock.elapsedMs)
      if (delayMs > 0) await new Promise<void>((resolve) => clock.setTimer(resolve, delayMs))
      return response()
    }),
  })
  onTestFinished(() => media.close())
  return { media, clock, sentAtMs }
}

describe('the submissions of a batch', () => {
  it('submissions are tried one at a time after a denial, until one is accepted', async () => {
    const { media, sentAtMs } = answering(Array.from({ length: 7 }, () => [10, json({}, 429)] as const))
    expect(await media.batch(boats(3), { concurrency: 3 })).toMatchObject({ succeeded: 3 })
    expect(sentAtMs.slice(0, 3)).toEqual([0, 0, 0])
    const probes = sentAtMs.slice(3, 8)
    expect(new Set(probes).size).toBe(5)
  })

  it('submissions end with the first denied secret: a request that waits for its turn is not sent', async () => {
    const { media, sentAtMs } = answering([
      [0, json({}, 429)],
      [0, json({}, 429)],
      [10, json({}, 401)],
    ])
    const report = await media.batch(boats(2), { concurrency: 2 })
    expect(report.outcomes).toMatchObject([{ error: { status: 401 } }, { error: { status: 401 } }])
    expect(sentAtMs).toHaveLength(3)
  })

  it('submissions are not repeated once the batch has ended, so that a long Retry-After holds nothing up', async () => {
    const { media, clock } = answering([
      [0, json({}, 401)],
      [10, json({}, 429, { 'retry-after': '3600' })],
    ])
    const report = await media.batch(boats(2), { concurrency: 2 })
    expect(report.outcomes).toMatchObject([{ error: { status: 401 } }, { error: { status: 429 } }])
    expect(clock.elapsedMs).toBe(10)
  })

  it('submissions keep their own response when it comes after an abort', async () => {
    const { media, clock } = answering([[10, json({}, 429)]])
    const controller = new AbortController()
    clock.setTimer(() => controller.abort(new Error('enough')), 5)
    const seen: BatchOutcome[] = []
    const batch = media.batch(boats(1), {
      signal: controller.signal,
      onOutcome: (outcome) => seen.push(outcome),
    })
    expect(await rejection(batch)).toBe(controller.signal.reason)
    expect(seen).toMatchObject([{ outcome: 'denied', status: 429, error: { status: 429 } }])
  })

  it('submissions are retried after failures to connect once the service has responded, even with a denial', async () => {
    const fails = () => {
      throw new ConnectionError('No such host.', { phase: 'dns', sent: 'no' })
    }
    const { media } = scripted([json({}, 429), fails, fails, fails, json({ id: 'a' }), succeeded('a')])
    expect(await media.batch(boats(1), { maxAttempts: 2 })).toMatchObject({ succeeded: 1 })
  })

  it('R-03: an abort ends the wait for a place of a shared limit', async () => {
    const { media, transport } = scripted([json({})])
    const shared = new Semaphore(1)
    using _held = await shared.acquire()
    const controller = new AbortController()
    const batch = media.batch(boats(1), { sharedConcurrency: shared, signal: controller.signal })
    const reason = new Error('enough')
    setImmediate(() => controller.abort(reason))
    expect(await rejection(batch)).toBe(reason)
    expect(transport.requests).toEqual([])
  })
})

it('a denied secret ends the regenerations of a batch, but tasks that were accepted are still waited for', async () => {
  const { media } = scripted([failed('INTERNAL'), json({}, 401), succeeded('b')])
  const journal = memoryJournal()
  journal.records = [
    ...boats(2).map((request, index) => ({ type: 'request', index, request }) as const),
    { type: 'batch', version: 1, total: 2, atMs: 0 },
    ...['a', 'b'].flatMap((taskId, index) => [
      { type: 'intent', index, atMs: 0 } as const,
      { type: 'answer', index, outcome: 'accepted', taskId } as const,
    ]),
  ]
  const report = await media.resumeBatch(journal, { concurrency: 1, regenerate: { maxTimes: 1 } })
  expect(report.outcomes).toMatchObject([{ outcome: 'denied', status: 401 }, { outcome: 'succeeded' }])
})

it('a batch that ends for several reasons leaves no timer behind', async () => {
  const { media, clock } = scripted([json({}, 400)])
  const mistake = new Error('a mistake of the caller')
  const batch = media.batch(boats(2), {
    onOutcome: () => {
      throw mistake
    },
    concurrency: 2,
  })
  expect(await rejection(batch)).toBe(mistake)
  expect(clock.timers).toBe(0)
})

it('while the outputs of a task are stored, the next request is submitted', async () => {
  const { promise: next, resolve } = Promise.withResolvers<void>()
  const output = 'https://media.example/a.mp4'
  const { media } = scripted([
    json({ id: 'a' }),
    succeeded('a', [output]),
    json({ id: 'b' }),
    succeeded('b', [output]),
  ])
  const report = await media.batch(boats(2), {
    concurrency: 1,
    onAccepted: ({ index }) => index === 1 && resolve(),
    store: () => next,
  })
  expect(report).toMatchObject({ succeeded: 2 })
})
