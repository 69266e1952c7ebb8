import { ConnectionError, OptionsError } from '@concord/runtime'
import { expect, describe, it } from 'vitest'

import { unlistedModel, type BatchOutcome, type BatchProgress, type BatchRequest } from '../src/index.ts'
import { boats, json, memoryJournal, offline, rejection, rich, scripted, succeeded } from './support.ts'

describe('a batch after responses that leave the outcome unknown', () => {
  it.each([
    ['an HTML page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    [
      'JSON that is cut short',
      () => new Response('{"i', { headers: { 'content-type': 'application/json' } }),
    ],
    ['no id', () => Response.json({})],
    ['an empty body', () => new Response(null, { status: 200 })],
    ['500', () => Response.json({}, { status: 500 })],
  ])('R-21: %s after a submission is uncertain, and nothing is sent again', async (_what, response) => {
    const { media, transport } = scripted([response])
    const report = await media.batch(boats(1))
    expect(report).toMatchObject({ uncertain: 1, credits: { min: 0, max: 24, unpriced: 0 } })
    expect(report.outcomes).toMatchObject([
      { outcome: 'uncertain', possibleDuplicates: 1, error: { code: 'submission-uncertain' } },
    ])
    expect(transport.requests.length).toBe(1)
  })

  it.each([
    [undefined, 3],
    [1, 1],
    [5, 5],
  ])(
    'R-21: with maxAttempts %s, a gateway that hides every success causes %s tasks, which the report counts',
    async (maxAttempts, made) => {
      const { media, emulator } = await offline({}, { media: rich })
      emulator.media.control.faults.add({
        kind: 'status',
        status: 504,
        handled: true,
        operation: 'textToVideo',
        times: 'always',
      })
      const report = await media.batch(boats(1), maxAttempts === undefined ? {} : { maxAttempts })
      expect(emulator.media.state.tasks.length).toBe(made)
      expect(report).toMatchObject({ uncertain: 1, credits: { min: 0, max: 24 * made } })
      expect(report.outcomes).toMatchObject([{ outcome: 'uncertain', status: 504, possibleDuplicates: made }])
    },
  )

  it('R-21: a success after 503 reports the other submissions that may exist', async () => {
    const { media } = scripted([json({}, 503), json({}, 502), json({ id: 'a' }), succeeded()])
    const report = await media.batch(boats(1))
    expect(report).toMatchObject({ succeeded: 1, credits: { min: 24, max: 72 } })
    expect(report.outcomes).toMatchObject([{ outcome: 'succeeded', possibleDuplicates: 3 }])
  })

  it.each([
    ['the service then denied it', json({ error: 'no' }, 400), {}],
    ['the service then denied the secret', json({ error: 'no' }, 401), {}],
    ['the credit limit was reached', json({}), { maxCredits: 24 }],
    ['the batch was aborted during the back-off', json({}), { isAborted: true }],
  ])(
    'R-37: a resumed batch never sends a request again that was reported as uncertain because %s after a 504',
    async (_why, second, { isAborted = false, ...options }: { isAborted?: boolean; maxCredits?: number }) => {
      const journal = memoryJournal()
      const stop = new AbortController()
      const { media, transport } = scripted([json({}, 504), second])
      const reported: BatchOutcome[] = []
      const ended = media.batch(boats(1), {
        ...options,
        journal,
        signal: stop.signal,
        onProgress: ({ pausedUntilMs }) => {
          if (isAborted && pausedUntilMs !== undefined) stop.abort(new Error('enough'))
        },
        onOutcome: (outcome) => reported.push(outcome),
      })
      await ended.catch(() => undefined)
      expect(reported).toMatchObject([{ outcome: 'uncertain', possibleDuplicates: 1 }])
      const sent = transport.requests.length
      const report = await media.resumeBatch(journal, { onOutcome: (outcome) => reported.push(outcome) })
      expect(report.outcomes).toMatchObject([{ outcome: 'uncertain', possibleDuplicates: 1 }])
      expect(report.credits).toEqual({ min: 0, max: 24, unpriced: 0 })
      expect(transport.requests).toHaveLength(sent)
      expect(reported).toHaveLength(1)
    },
  )
})

describe('a batch that is denied or gets no response', () => {
  it('R-25: pauses as a whole for the daily quota, and still stores outputs in time', async () => {
    const { media, emulator, clock } = await offline(
      {},
      {
        media: {
          ...rich,
          tier: 2,
          choices: { ...rich.choices, tierLimits: () => ({ dailyGenerations: 50 }) },
        },
      },
    )
    const paused = new Set<number>()
    const report = await media.batch(boats(200), {
      tier: 2,
      onProgress: ({ pausedUntilMs }) => pausedUntilMs !== undefined && paused.add(pausedUntilMs),
    })
    expect(report).toMatchObject({ succeeded: 200, uncertain: 0 })
    expect(clock.elapsedMs).toBeGreaterThan(3 * 24 * 3_600_000)
    expect(clock.elapsedMs).toBeLessThan(3 * 24.5 * 3_600_000)
    const denied = emulator.media.control.requests().filter(({ status }) => status === 429).length
    expect(denied).toBeLessThan(800)
    expect(paused.size).toBeGreaterThan(100)
  }, 60_000)

  it('ends if everything is denied for 25 hours, which a daily quota cannot explain', async () => {
    const { media, clock, transport } = scripted([json({}, 429)])
    const report = await media.batch(boats(50), { tier: 2 })
    expect(report).toMatchObject({ denied: 3, notSent: 47, credits: { min: 0, max: 0 } })
    expect(report.outcomes[49]).toMatchObject({ error: { meaning: 'daily-generations' } })
    expect(clock.elapsedMs).toBeGreaterThan(24 * 3_600_000)
    expect(clock.elapsedMs).toBeLessThan(26 * 3_600_000)
    expect(transport.requests.length).toBeLessThan(300)
  })

  it('R-23: pauses all requests for at least as long as Retry-After says, and reports when the pause ends', async () => {
    const { media, clock, transport } = scripted([
      json({}, 429, { 'retry-after': '7200' }),
      json({ id: 'a' }),
      succeeded(),
      json({ id: 'b' }),
      succeeded('b'),
    ])
    const startedAt = clock.now()
    const progress: BatchProgress[] = []
    const onProgress = (each: BatchProgress) => progress.push(each)
    expect(await media.batch(boats(2), { concurrency: 1, onProgress })).toMatchObject({ succeeded: 2 })
    expect(clock.elapsedMs).toBeGreaterThanOrEqual(7_200_000)
    expect(transport.requests.filter(({ method }) => method === 'POST').length).toBe(3)
    expect(progress[0]).toMatchObject({ waiting: 2, running: 0 })
    const pauses = progress.flatMap(({ pausedUntilMs = [] }) => pausedUntilMs)
    expect(Math.max(...pauses)).toBe(startedAt + 7_200_000)
  })

  it('loses few requests to an outage, because it tries only one at a time until the outage is over', async () => {
    const { media, clock, emulator } = await offline({}, { media: { ...rich, tier: 5 } })
    const { faults } = emulator.media.control
    faults.add({ kind: 'status', status: 503, operation: 'textToVideo', times: 'always' })
    clock.setTimer(() => faults.clear(), 3_600_000)
    const report = await media.batch(boats(300), { tier: 5 })
    expect(report.uncertain).toBeLessThanOrEqual(25)
    expect(report.succeeded).toBe(300 - report.uncertain)
    const refused = emulator.media.control.requests().filter(({ status }) => status === 503).length
    expect(refused).toBeLessThan(60)
  })

  it('ends at its deadline with a report: accepted requests are unfinished, others not sent', async () => {
    const { media, emulator, clock } = await offline({}, { media: { ...rich, tier: 2 } })
    emulator.media.control.scriptTasks({ outcome: 'hold', times: 'always' })
    const told: BatchOutcome[] = []
    const report = await media.batch(boats(5), {
      tier: 2,
      deadline: '1h',
      onOutcome: (outcome) => told.push(outcome),
    })
    expect(report).toMatchObject({ unfinished: 3, notSent: 2, credits: { min: 72, max: 72 } })
    for (const { outcome, ...rest } of report.outcomes)
      expect([outcome, rest]).toMatchObject([expect.any(String), { error: { code: 'deadline' } }])
    expect(told.length).toBe(5)
    expect(clock.elapsedMs).toBe(3_600_000)
    expect(emulator.media.state.tasks.length).toBe(3)
  })
})

describe('the cost of a batch', () => {
  const speech = { model: 'audio_multilingual_v2', fields: { text: 'Hello' } } as const
  const range: BatchRequest = {
    operation: 'textToVideo',
    request: { model: 'partner3.1', promptText: 'a boat', duration: 2 },
  }

  it('a batch stops before its cost could exceed the limit, by the upper end of each estimate', async () => {
    const { media, emulator } = await offline({}, { media: { ...rich, tier: 2 } })
    const journal = memoryJournal()
    const report = await media.batch(
      Array.from({ length: 6 }, () => range),
      { tier: 2, maxCredits: 250, journal },
    )
    expect(report).toMatchObject({ succeeded: 3, notSent: 3, credits: { min: 120, max: 240 } })
    expect(report.outcomes[5]).toMatchObject({
      reason: expect.stringContaining(
        'The submissions so far cost at most 240 credits, and the next submission costs at most 80',
      ),
    })
    expect(emulator.media.state.tasks.length).toBe(3)
    // The limit applies to the whole batch, even after it is resumed.
    expect(await media.resumeBatch(journal, { maxCredits: 250 })).toMatchObject({ succeeded: 3, notSent: 3 })
    expect(await media.resumeBatch(journal, { maxCredits: 400 })).toMatchObject({ succeeded: 5, notSent: 1 })
    expect(await media.resumeBatch(journal)).toMatchObject({ succeeded: 6, credits: { min: 240, max: 480 } })
  })

  it('counts submissions that may have been accepted toward the credit limit', async () => {
    const { media, transport } = scripted([json({}, 504)])
    const report = await media.batch(boats(5), { maxCredits: 60, maxAttempts: 10 })
    expect(transport.requests.length).toBe(2)
    expect(report).toMatchObject({ uncertain: 1, notSent: 4, credits: { min: 0, max: 48 } })
  })

  it('does not regenerate beyond the credit limit', async () => {
    const { media, emulator } = await offline({}, { media: rich })
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL', times: 'always' })
    const report = await media.batch(boats(1), { maxCredits: 50, regenerate: { maxTimes: 9 } })
    expect(report).toMatchObject({ failed: 1, credits: { min: 48, max: 48 } })
    expect(emulator.media.state.tasks.length).toBe(2)
  })

  it('sends no request of unknown price under a limit, unless the request has its own price', async () => {
    const { media } = await offline({}, { media: rich })
    const report = await media.batch(
      [
        { operation: 'textToSpeech', request: speech },
        { operation: 'textToSpeech', request: speech, credits: { min: 1, max: 2 } },
        ...boats(1),
      ],
      { maxCredits: 30 },
    )
    expect(report).toMatchObject({ succeeded: 2, notSent: 1, credits: { min: 25, max: 26, unpriced: 0 } })
    expect(report.outcomes[0]).toMatchObject({
      outcome: 'not-sent',
      reason: expect.stringContaining('The price of this request is unknown'),
    })
  })

  it('adds up the known prices if one is unknown', async () => {
    const { media } = await offline({}, { media: rich })
    const report = await media.batch([...boats(2), { operation: 'textToSpeech', request: speech }])
    expect(report.credits).toEqual({ min: 48, max: 48, unpriced: 1 })
  })

  it('estimates the cost of a batch without sending anything, and lists invalid requests', async () => {
    const { media, transport } = scripted([json({})])
    const wrong = { operation: 'imageToVideo', request: { model: 'gen4_turbo' } } as never
    const unlisted = {
      operation: 'textToVideo',
      request: { model: unlistedModel('gen9'), promptText: 'x' },
    } as const
    const estimate = await media.estimateBatch([...boats(2), range, unlisted, wrong])
    expect(estimate).toMatchObject({
      requests: 5,
      credits: { min: 48 + 40, max: 48 + 80, unpriced: 1 },
      invalid: [{ index: 4, error: { code: 'invalid-request' } }],
    })
    expect(transport.requests).toEqual([])
  })

  it.each([
    { min: 2, max: 1 },
    { min: -1, max: 1 },
    { min: Number.NaN, max: 1 },
    { min: 0, max: Infinity },
    { min: 0, max: Number.NaN },
    { min: 1 },
    5,
    null,
  ])('rejects %j as credits of a request', async (credits) => {
    const { media } = scripted([json({})])
    const requests = [{ ...boats(1)[0], credits }] as never
    expect(OptionsError.is(await rejection(media.batch(requests)))).toBe(true)
    expect(OptionsError.is(await rejection(media.estimateBatch(requests)))).toBe(true)
  })
})

describe('aborting a batch', () => {
  const slow = (delayMs: number) =>
    ({ kind: 'latency', delayMs, operation: 'textToVideo', times: 'always' }) as const

  it.each([
    ['waits for the submissions in progress, and reports each with its id', 2_000, 2_000, 'unfinished'],
    [
      'reports submissions without a response within the grace period as uncertain',
      50_000,
      5_000,
      'uncertain',
    ],
  ] as const)('R-03: %s', async (_, delayMs, endsAtMs, outcome) => {
    const { media, emulator, clock } = await offline({}, { media: { ...rich, tier: 3 } })
    emulator.media.control.faults.add(slow(delayMs))
    const controller = new AbortController()
    const reason = new Error('enough')
    const seen: BatchOutcome[] = []
    const progress: BatchProgress[] = []
    clock.setTimer(() => controller.abort(reason), 1_000)
    const running = media.batch(boats(20), {
      tier: 3,
      signal: controller.signal,
      abortGrace: '4s',
      onOutcome: (each) => seen.push(each),
      onProgress: (each) => progress.push(each),
    })
    expect(await rejection(running)).toBe(reason)
    expect(clock.elapsedMs).toBe(endsAtMs)
    const ids = emulator.media.state.tasks.map(({ id }) => id)
    const accepted = outcome === 'unfinished'
    expect(ids).toHaveLength(accepted ? 5 : 0)
    expect(seen.map((each) => [each.outcome, each.handle?.id, each.possibleDuplicates])).toEqual(
      Array.from({ length: 5 }, (_, index) => [outcome, ids[index], 1]),
    )
    const credits = { min: accepted ? 120 : 0, max: 120 }
    expect(progress.at(-1)).toMatchObject({ [outcome]: 5, credits })
    expect(emulator.media.control.requests()).toHaveLength(5)
  })

  it.each([
    ['the deadline of the batch', 'deadline'],
    ['closing the client', 'close'],
    ['an abort whose reason is an error about another request', 'abort'],
  ] as const)('R-21: %s leaves submissions without a response uncertain', async (_, ending) => {
    const { media, emulator, clock, client } = await offline({}, { media: rich })
    emulator.media.control.faults.add({ ...slow(50_000), times: 1 })
    const journal = memoryJournal()
    const controller = new AbortController()
    const elsewhere = new ConnectionError('The database is down.', { phase: 'connect', sent: 'no' })
    if (ending === 'abort') clock.setTimer(() => controller.abort(elsewhere), 1_000)
    if (ending === 'close') clock.setTimer(() => void media.close(), 1_000)
    const deadline = ending === 'deadline' ? '1s' : undefined
    await media
      .batch(boats(1), { journal, signal: controller.signal, ...(deadline && { deadline }) })
      .catch(() => undefined)
    expect(clock.elapsedMs).toBe(11_000)
    const resumed = await client().resumeBatch(journal)
    expect(resumed).toMatchObject({ uncertain: 1, credits: { min: 0, max: 24 } })
    expect(emulator.media.state.tasks.length).toBeLessThanOrEqual(1)
  })

  it('R-03: ends a pause immediately, and removes its listeners from the signal', async () => {
    const { media, clock } = scripted([json({}, 429)])
    const controller = new AbortController()
    const listeners = { added: 0, removed: 0 }
    const { signal } = controller
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => (listeners.added++, add(...args)),
      removeEventListener: (...args: Parameters<typeof remove>) => (listeners.removed++, remove(...args)),
    })
    clock.setTimer(() => controller.abort(), 3_600_000)
    expect(await rejection(media.batch(boats(3), { signal }))).toBe(signal.reason)
    expect(clock.elapsedMs).toBe(3_600_000)
    expect(listeners.added).toBe(listeners.removed)
    expect(await rejection(media.batch(boats(1), { signal }))).toBe(signal.reason)
  })

  it('R-03: closing the client ends the batch immediately, even during a pause', async () => {
    const { media, clock } = scripted([json({}, 429, { 'retry-after': '86400' })])
    const seen: string[] = []
    const running = media.batch(boats(3), { onOutcome: ({ outcome }) => seen.push(outcome) })
    clock.setTimer(() => void media.close(), 3_600_000)
    expect(await rejection(running)).toMatchObject({ code: 'connection' })
    expect(clock.elapsedMs).toBe(3_600_000)
    expect(seen).toEqual(['denied'])
  })
})
