import { describe, expect, it } from 'vitest'

import type { BatchProgress, BatchRequest } from '../src/index.ts'
import { boats, json, memoryJournal, offline, rejection, scripted } from './support.ts'

const PNG = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])

describe('a batch', () => {
  it('keeps no more tasks unfinished than the tier allows, so that tasks are never throttled', async () => {
    for (const [tier, concurrency] of [
      [1, 1],
      [2, 3],
      [5, 20],
    ] as const) {
      const { media, emulator } = await offline({}, { media: { tier } })
      let most = 0
      const report = await media.batch(boats(40), {
        tier,
        onProgress: ({ running }) => (most = Math.max(most, running)),
      })
      expect(report).toMatchObject({ succeeded: 40, throttledMs: 0 })
      expect(most).toBe(concurrency)
      expect(emulator.media.state.tasks.every(({ throttledMs }) => throttledMs === 0)).toBe(true)
    }
  })

  it('reports progress that always adds up', async () => {
    const { media } = await offline({}, { media: { tier: 2 } })
    const seen: BatchProgress[] = []
    await media.batch(boats(5), { tier: 2, onProgress: (progress) => seen.push(progress) })
    for (const { total, credits: _credits, ...counts } of seen)
      expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(total)
    expect(seen.at(-1)).toEqual({
      total: 5,
      waiting: 0,
      running: 0,
      succeeded: 5,
      failed: 0,
      denied: 0,
      notSent: 0,
      uncertain: 0,
      unfinished: 0,
      credits: { min: 120, max: 120, unpriced: 0 },
    })
  })

  it('continues after invalid requests, and reports them', async () => {
    const { media } = await offline()
    const bad = {
      operation: 'imageToVideo',
      request: { model: 'gen4_turbo', promptImage: 'http://a.example/b.png' },
    }
    const paint = { operation: 'paint' } as never
    const { outcomes } = await media.batch([bad as BatchRequest, paint, undefined as never, ...boats(1)])
    const invalid = { outcome: 'not-sent', error: { code: 'invalid-request' } }
    expect(outcomes).toMatchObject([invalid, invalid, invalid, { outcome: 'succeeded' }])
    expect(outcomes[2]).toMatchObject({
      operation: undefined,
      error: { issues: [{ path: '' }] },
      reason: 'batch: the request is not an object; pass { operation, request }. The request was not sent.',
    })
  })

  it.each([
    [400, { denied: 1 }],
    [500, { uncertain: 1 }],
  ])('never sends a request again after %i', async (status, counts) => {
    const { media, transport } = scripted([json({}, status)])
    const journal = memoryJournal()
    const report = await media.batch(boats(1), { journal })
    expect(await media.resumeBatch(journal)).toMatchObject(counts)
    expect(report).toMatchObject(counts)
    expect(report.outcomes).toMatchObject([{ status, reason: expect.stringContaining(String(status)) }])
    expect(transport.requests.length).toBe(1)
  })

  it('reports an unfinished task with a token and a handle that does not keep the request, which can contain whole files', async () => {
    const { media, emulator } = await offline()
    emulator.media.control.scriptTasks({ outcome: 'hold' })
    const report = await media.batch(boats(1), { taskDeadline: '1m' })
    const [outcome] = report.outcomes
    if (outcome?.outcome !== 'unfinished') throw new Error(`it is ${outcome?.outcome}`)
    expect(outcome.error).toMatchObject({ code: 'deadline' })
    expect(await rejection(outcome.handle.wait({ regenerate: { maxTimes: 1 } }))).toMatchObject({
      option: 'regenerate',
    })
    emulator.media.control.completeTask(outcome.handle.id)
    expect((await media.resume(outcome.resumeToken).wait()).status).toBe('SUCCEEDED')
    expect((await outcome.handle.wait()).status).toBe('SUCCEEDED')
  })

  it('ends with the error of a callback, and sends nothing more', async () => {
    const { media, emulator } = await offline({}, { media: { tier: 2 } })
    const mistake = new Error('a bug in the callback')
    let calls = 0
    const onOutcome = (): void => {
      if (++calls === 1) throw mistake
    }
    expect(await rejection(media.batch(boats(20), { tier: 2, onOutcome }))).toBe(mistake)
    expect(emulator.media.state.tasks.length).toBeLessThanOrEqual(3)
  })

  it('reads and uploads an input once, however often the request is submitted', async () => {
    let uploads = 0
    const { media, emulator } = await offline({
      uploader: async ({ content }) => {
        for await (const _ of content);
        uploads++
        return 'https://assets.example/a.png'
      },
    })
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL', times: 2 })
    const promptImage = new Blob([PNG, new Uint8Array(6_000_000)], { type: 'image/png' })
    const request = {
      operation: 'imageToVideo',
      request: { model: 'gen4_turbo', promptImage, duration: 2 },
    } as const
    const report = await media.batch([request], { regenerate: { maxTimes: 3 } })
    expect(report).toMatchObject({ succeeded: 1, credits: { min: 30, max: 30 } })
    expect(uploads).toBe(1)
  })

  it.each<[object, string, string?]>([
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurrency: 1.5 }, 'concurrency'],
    [{ tier: 6 }, 'tier'],
    [{ deadline: 'soon' }, 'deadline'],
    [{ maxAttempts: 0 }, 'maxAttempts'],
    [{ maxAttempts: 1.5 }, 'maxAttempts'],
    [{ maxCredits: -1 }, 'maxCredits'],
    [{ abortGrace: 0 }, 'abortGrace'],
    [{ journal: 'batch.journal' }, 'journal', '`journal` has no method `open`'],
    [{ store: { folder: '' } }, 'store.folder'],
    [
      { store: 'out' },
      'store',
      "`store` must be an object with `folder`, or a function. Pass { folder: 'out' }",
    ],
    [{ store: null }, 'store', '`store` must be an object with `folder`, or a function.'],
    [{ store: { folder: 1 } }, 'store.folder'],
    [{ store: { folder: 'out', name: 'boat' } }, 'store.name'],
    [{ store: { folder: 'out', nameOf: 1 } }, 'store.nameOf'],
    [{ onAccepted: 1 }, 'onAccepted'],
    [{ onOutcome: 1 }, 'onOutcome'],
    [{ journal: null }, 'journal', '`journal` has no method `open`'],
    [{ journal: { open: true } }, 'journal', '`journal` has no method `open`'],
    [{ taskDeadline: -1 }, 'taskDeadline'],
    [{ onProgress: 1 }, 'onProgress'],
    [{ regenerate: { maxTimes: -1 } }, 'regenerate.maxTimes'],
    [{ regenerate: { maxTimes: 1.5 } }, 'regenerate.maxTimes'],
    [{ regenerate: { maxTimes: 1, prompt: 'by day' } }, 'regenerate.prompt'],
    [{ regenerate: { maxTimes: 1, changePrompt: 'by day' } }, 'regenerate.changePrompt'],
    [{ regenerate: { maxTimes: 1, onRegenerate: 'log' } }, 'regenerate.onRegenerate'],
    [{ parallel: 3 }, 'parallel'],
  ])('rejects the options %j by name', async (options, option, message = '') => {
    const { media } = scripted([json({})])
    const error = await rejection(media.batch([], options as never))
    expect(error).toMatchObject({ option, message: expect.stringContaining(message) })
    expect(String(error)).not.toMatch(/omit (?:it|the option) to use (?:0|Infinity)\./)
  })

  it('ends immediately if it has no requests', async () => {
    const { media } = scripted([json({})])
    expect(await media.batch([])).toMatchObject({ outcomes: [], credits: { min: 0, max: 0, unpriced: 0 } })
  })
})
