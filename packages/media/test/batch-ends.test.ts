import { ConnectionError } from '@concord/runtime'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scriptedTransport } from '@concord/runtime/testing'

import { Media, TaskCancelledError, type BatchOutcome, type BatchRequest } from '../src/index.ts'
import {
  boats,
  failed,
  json,
  memoryJournal,
  offline,
  rejection,
  rich,
  scripted,
  SECRET,
  succeeded,
} from './support.ts'

describe('a batch whose tasks are canceled or fail', () => {
  it('reports a canceled task as failed, even when the batch is resumed', async () => {
    const { media, emulator, client } = await offline({}, { media: rich })
    emulator.media.control.scriptTasks({ outcome: 'hold', times: 'always' })
    const journal = memoryJournal()
    const report = await media.batch(boats(1), { journal, onAccepted: ({ handle }) => handle.cancel() })
    expect(report).toMatchObject({ failed: 1 })
    expect(journal.records.at(-2)).toMatchObject({ type: 'failed', failure: '', cancelled: true })
    const resumed = await client().resumeBatch(journal)
    expect(resumed.outcomes).toMatchObject([{ outcome: 'failed', error: { code: 'operation-failed' } }])
    const [outcome] = resumed.outcomes
    expect(TaskCancelledError.is((outcome as { error?: unknown }).error)).toBe(true)
  })

  it('stops after maxTimes regenerations, and calls onRegenerate and onAccepted for each', async () => {
    const { media, emulator } = await offline({}, { media: rich })
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL', times: 'always' })
    const seen: unknown[] = []
    const journal = memoryJournal()
    const report = await media.batch(boats(1), {
      journal,
      regenerate: { maxTimes: 2, onRegenerate: (regeneration) => seen.push(regeneration) },
      onAccepted: ({ handle, resumed }) => seen.push([handle.id, resumed]),
    })
    const ids = emulator.media.state.tasks.map(({ id }) => id)
    const credits = { min: 24, max: 24 }
    const regeneration = (failedId: string | undefined) => ({
      failedId,
      failure: 'INTERNAL',
      category: 'server-error',
      credits,
    })
    expect(ids).toHaveLength(3)
    expect(seen).toEqual([
      [ids[0], false],
      regeneration(ids[0]),
      [ids[1], false],
      regeneration(ids[1]),
      [ids[2], false],
    ])
    expect(report.outcomes).toMatchObject([
      { outcome: 'failed', regenerations: [regeneration(ids[0]), regeneration(ids[1])] },
    ])
    expect(journal.records.at(-2)).toMatchObject({ type: 'failed', failure: 'INTERNAL', cancelled: false })
  })

  it('never submits a request again if that cannot help', async () => {
    const { media, emulator } = await offline({}, { media: rich })
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'ASSET.INVALID', times: 'always' })
    const journal = memoryJournal()
    const report = await media.batch(boats(1), { journal, regenerate: { maxTimes: 5 } })
    expect(report).toMatchObject({ failed: 1, credits: { min: 24, max: 24 } })
    expect(emulator.media.state.tasks).toHaveLength(1)
    expect(journal.records.at(-2)).toMatchObject({ type: 'failed', failure: 'ASSET.INVALID' })
  })

  it('records a failed task as final if changePrompt gives up', async () => {
    const { media, emulator } = await offline({}, { media: rich })
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'SAFETY.OUTPUT.VIDEO' })
    const journal = memoryJournal()
    const regenerate = { maxTimes: 1, changePrompt: () => undefined }
    expect(await media.batch(boats(1), { journal, regenerate })).toMatchObject({ failed: 1 })
    expect(journal.records.map(({ type }) => type).slice(-2)).toEqual(['failed', 'reported'])
  })

  it.each([
    ['INTERNAL', { maxTimes: 1 }, 'succeeded'],
    ['SAFETY.OUTPUT.VIDEO', { maxTimes: 1, changePrompt: () => ({ promptText: 'by day' }) }, 'succeeded'],
    ['SAFETY.OUTPUT.VIDEO', { maxTimes: 1 }, 'failed'],
    ['ASSET.INVALID', { maxTimes: 1 }, 'failed'],
    ['INTERNAL', { maxTimes: 0 }, 'failed'],
  ] as const)(
    'after %s with %j at the credit limit, is %s in a resumed batch with a higher limit',
    async (failure, regenerate, outcome) => {
      const { media, emulator, client } = await offline({}, { media: rich })
      emulator.media.control.scriptTasks({ outcome: 'fail', failure })
      const journal = memoryJournal()
      const options = { regenerate, concurrency: 2 }
      const first = await media.batch(boats(2), { ...options, journal, maxCredits: 30 })
      expect(first).toMatchObject({ failed: 1, notSent: 1 })
      const told: number[] = []
      const second = await client().resumeBatch(journal, {
        ...options,
        onOutcome: ({ index }) => told.push(index),
      })
      expect(second.outcomes.map((each) => each.outcome)).toEqual([outcome, 'succeeded'])
      // Final outcomes are reported once; others are reported again.
      expect(told.toSorted()).toEqual(outcome === 'failed' ? [1] : [0, 1])
    },
  )

  it('leaves a failed task for a resumed batch if it was aborted before the regeneration', async () => {
    const { media, emulator, client } = await offline({}, { media: rich })
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL' })
    const journal = memoryJournal()
    const controller = new AbortController()
    const seen: BatchOutcome[] = []
    const first = media.batch(boats(1), {
      journal,
      signal: controller.signal,
      regenerate: { maxTimes: 1, onRegenerate: () => controller.abort() },
      onOutcome: (outcome) => seen.push(outcome),
    })
    expect(await rejection(first)).toBe(controller.signal.reason)
    expect(seen).toMatchObject([{ outcome: 'failed', error: { reason: 'INTERNAL' } }])
    expect(emulator.media.state.tasks).toHaveLength(1)
    expect(await client().resumeBatch(journal)).toMatchObject({ failed: 1 })
    const again = memoryJournal()
    again.records = journal.records.slice(0, 4)
    expect(await client().resumeBatch(again, { regenerate: { maxTimes: 1 } })).toMatchObject({ succeeded: 1 })
    expect(emulator.media.state.tasks).toHaveLength(2)
  })

  it('submits nothing after an abort in changePrompt', async () => {
    const { media, emulator } = await offline({}, { media: rich })
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'SAFETY.OUTPUT.VIDEO' })
    const controller = new AbortController()
    let regenerated = 0
    const batch = media.batch(boats(1), {
      signal: controller.signal,
      regenerate: {
        maxTimes: 1,
        changePrompt: () => (controller.abort(), { promptText: 'by day' }),
        onRegenerate: () => regenerated++,
      },
    })
    expect(await rejection(batch)).toBe(controller.signal.reason)
    expect([regenerated, emulator.media.state.tasks.length]).toEqual([0, 1])
  })

  it('lists one regeneration for a replacement that was sent twice, and counts both submissions in possibleDuplicates', async () => {
    const { media } = scripted([
      json({ id: 'a' }),
      failed('INTERNAL'),
      json({}, 503),
      json({ id: 'b' }),
      succeeded('b'),
    ])
    const report = await media.batch(boats(1), { regenerate: { maxTimes: 3 } })
    expect(report.outcomes).toMatchObject([
      {
        outcome: 'succeeded',
        handle: { id: 'b' },
        possibleDuplicates: 2,
        regenerations: [{ failedId: 'a' }],
      },
    ])
  })

  it('keeps the handle of a failed task across processes if the submission that replaces it is lost', async () => {
    const { media } = scripted([json({ id: 'a' }), failed('INTERNAL'), 'lost'])
    const journal = memoryJournal()
    const report = await media.batch(boats(1), { journal, regenerate: { maxTimes: 2 } })
    expect(report).toMatchObject({ uncertain: 1, credits: { min: 24, max: 48 } })
    expect(report.outcomes).toMatchObject([
      { outcome: 'uncertain', handle: { id: 'a' }, regenerations: [{ failedId: 'a', failure: 'INTERNAL' }] },
    ])
    expect(journal.records.map(({ type }) => type)).not.toContain('abandoned')
    const { outcomes } = await media.resumeBatch(journal)
    expect(outcomes).toMatchObject([{ outcome: 'uncertain', handle: { id: 'a' } }])
    expect(outcomes[0]).not.toHaveProperty('error')
  })
})

describe('a batch that is stopped', () => {
  it('leaves every accepted task unfinished at its deadline, including those that waited for a slot', async () => {
    const { media, emulator, client, clock } = await offline({}, { media: { ...rich, tier: 5 } })
    emulator.media.control.scriptTasks({ outcome: 'hold', times: 'always' })
    const journal = memoryJournal()
    await media.batch(boats(3), { journal, tier: 5, deadline: '1m' })
    const startedAt = clock.elapsedMs
    const report = await client().resumeBatch(journal, { concurrency: 1, deadline: '10m' })
    expect(clock.elapsedMs - startedAt).toBe(600_000)
    expect(report).toMatchObject({ unfinished: 3, uncertain: 0 })
    expect(report.outcomes.map((each) => each.handle?.id)).toEqual(
      emulator.media.state.tasks.map(({ id }) => id),
    )
    expect(report.outcomes[0]).toMatchObject({
      error: { code: 'deadline', limitMs: 600_000, elapsedMs: 600_000, operation: 'batch' },
      resumeToken: expect.any(String),
    })
  })

  it("polls a resumed task immediately, and a new one after the client's delay", async () => {
    const { media, emulator, client, clock } = await offline({}, { media: rich })
    emulator.media.control.scriptTasks({ outcome: 'hold' })
    const journal = memoryJournal()
    await media.batch(boats(1), { journal, deadline: '1m' })
    emulator.media.control.completeTask(emulator.media.state.tasks[0]?.id ?? '')
    const resumedAt = clock.elapsedMs
    expect(await client().resumeBatch(journal)).toMatchObject({ succeeded: 1 })
    const { outcomes } = await client().resumeBatch(journal)
    expect(await outcomes[0]?.handle?.wait()).toMatchObject({ status: 'SUCCEEDED' })
    expect(clock.elapsedMs).toBe(resumedAt)
    expect(await media.batch(boats(2).slice(1))).toMatchObject({ succeeded: 1 })
    expect(clock.elapsedMs).toBeGreaterThanOrEqual(resumedAt + 5_000)
  })

  it('R-31: waits for throttled tasks, and adds up the time that they were throttled, including unfinished ones', async () => {
    const { media, emulator } = await offline({}, { media: { ...rich, tier: 1 } })
    emulator.media.control.scriptTasks({ outcome: 'hold' })
    const report = await media.batch(boats(3), { concurrency: 3, deadline: '2m' })
    expect(report).toMatchObject({ unfinished: 3 })
    const ofHandles = report.outcomes.map(({ handle }) => handle?.throttledMs ?? 0)
    expect(Math.max(...ofHandles)).toBeGreaterThan(60_000)
    expect(report.throttledMs).toBe(ofHandles.reduce((sum, each) => sum + each, 0))

    emulator.media.control.completeTask(emulator.media.state.tasks[0]?.id ?? '')
    const journal = memoryJournal()
    const whole = await media.batch(boats(6).slice(3), { journal, concurrency: 3 })
    expect(whole).toMatchObject({ succeeded: 3, credits: { min: 72, max: 72, unpriced: 0 } })
    const recorded = journal.records.map((record) => ('throttledMs' in record ? record.throttledMs : 0))
    expect(whole.throttledMs).toBe(recorded.reduce((sum, each) => sum + each, 0))
    expect(await media.resumeBatch(journal)).toMatchObject({ throttledMs: whole.throttledMs })
  })

  it('never presents a denied secret a second time, and does not read the inputs of requests that it will not send', async () => {
    const { media, transport } = scripted([json({}, 401)])
    let reads = 0
    async function* content() {
      reads++
      yield new Uint8Array([0x89, 0x50, 0x4e, 0x47])
    }
    const withImage: BatchRequest = {
      operation: 'imageToVideo',
      request: {
        model: 'gen4_turbo',
        promptImage: { content: { [Symbol.asyncIterator]: content }, contentType: 'image/png' } as never,
      },
    }
    const report = await media.batch([...boats(1), withImage], { concurrency: 1 })
    expect(report).toMatchObject({ denied: 1, notSent: 1 })
    expect(report.outcomes[1]).toMatchObject({ error: { status: 401 } })
    expect(reads).toBe(0)
    expect(transport.requests).toHaveLength(1)
  })

  it('rejects when the client is closed, and sends nothing', async () => {
    const { media, transport } = scripted([json({ id: 'a' })])
    await media.close()
    expect(await rejection(media.batch(boats(1)))).toMatchObject({ code: 'connection' })
    expect(transport.requests).toEqual([])
  })

  it('ends with the error of onProgress', async () => {
    const { media, transport } = scripted([json({ id: 'a' }), succeeded('a')])
    const mistake = new Error('a bug in the callback')
    const batch = media.batch(boats(2), {
      concurrency: 1,
      onProgress: ({ running }) => {
        if (running === 1) throw mistake
      },
    })
    expect(await rejection(batch)).toBe(mistake)
    expect(transport.requests).toEqual([])
  })
})

describe('a batch and the network', () => {
  const unreachable = new ConnectionError('No such host.', { phase: 'dns', sent: 'no' })
  const fails = () => {
    throw unreachable
  }

  it('retries a connection before the first response, within maxAttempts', async () => {
    const { media } = scripted([fails, fails, json({ id: 'a' }), succeeded('a')])
    // Without a store, a success has no files.
    expect(await media.batch(boats(1), { maxAttempts: 3 })).toMatchObject({
      succeeded: 1,
      outcomes: [{ files: [] }],
    })
    const { media: other, transport } = scripted([fails])
    const report = await other.batch(boats(2), { maxAttempts: 2, concurrency: 1 })
    expect(report.outcomes).toMatchObject([{ error: { phase: 'dns' } }, { error: { phase: 'dns' } }])
    expect(transport.requests).toHaveLength(2)
  })

  it('keeps retrying a connection once the service has responded', async () => {
    const { media } = scripted([
      json({ id: 'a' }),
      succeeded('a'),
      ...Array.from({ length: 9 }, () => fails),
      json({ id: 'b' }),
      succeeded('b'),
    ])
    expect(await media.batch(boats(2), { concurrency: 1, maxAttempts: 2 })).toMatchObject({ succeeded: 2 })
  })

  it('waits longer with each denial, up to 15 minutes', async () => {
    const { media, clock } = scripted([
      ...Array.from({ length: 20 }, () => json({}, 429)),
      json({ id: 'a' }),
      succeeded('a'),
    ] as never)
    const pauses: number[] = []
    await media.batch(boats(1), {
      onProgress: ({ pausedUntilMs }) => {
        if (pausedUntilMs !== undefined) pauses.push(pausedUntilMs - clock.now())
      },
    })
    expect(pauses).toHaveLength(20)
    expect(pauses.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000])
    expect(pauses.at(-1)).toBe(450_000)
  })

  it('waits for each append without a virtual clock', async () => {
    const transport = scriptedTransport(json({ id: 'a' }), succeeded('a'))
    const polling = { task: { firstDelayMs: 1, minDelayMs: 1 } }
    const options = { baseUrl: 'https://media.example', apiSecret: SECRET, transport, polling }
    const media = new Media(options)
    onTestFinished(() => media.close())
    let durable = 0
    const journal = memoryJournal(async () => {
      await new Promise(setImmediate)
      durable++
    })
    const seen: number[] = []
    await media.batch(boats(1), { journal, onAccepted: () => seen.push(durable) })
    expect(seen).toEqual([4])
  })
})
