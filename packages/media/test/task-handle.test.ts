import { readResumeToken, writeResumeToken } from '@concord/runtime/internal'
import { describe, expect, it } from 'vitest'

import { TaskCancelledError, type TaskHandle } from '../src/index.ts'
import { json, offline, rejection, running, scripted, succeeded } from './support.ts'

const request = { model: 'gen4.5', promptText: 'a paper boat in rain', duration: 2 } as const

describe('R-30: a handle of a task', () => {
  it('a task handle polls once per call of `poll`, and then knows whether the task has ended', async () => {
    const { media, clock, transport } = scripted([json({ id: 'a', status: 'THROTTLED' }), succeeded()])
    const task = media.task('a')
    expect(await task.poll()).toMatchObject({ id: 'a', status: 'THROTTLED', throttledMs: 0 })
    await clock.advance(3_000)
    expect(task.ended).toBe(false)
    expect(await task.poll()).toMatchObject({ status: 'SUCCEEDED', throttledMs: 3_000 })
    expect(task.ended).toBe(true)
    expect(await task.wait()).toMatchObject({ id: 'a' })
    expect(transport.requests).toHaveLength(2)
  })

  it.each<[string, (task: TaskHandle, signal: AbortSignal) => Promise<unknown>]>([
    ['a download', (task, signal) => task.download({ folder: 'out', signal })],
    [
      'a wait that may replace the task',
      (task, signal) => task.wait({ signal, regenerate: { maxTimes: 1 } }),
    ],
  ])('R-03: ends %s at once on abort while the task is still running', async (_, act) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { media, clock } = scripted([json({ id: 'a' }), running()])
    const task = await media.textToVideo(request)
    clock.setTimer(() => controller.abort(reason), 7_000)
    expect(await rejection(act(task, controller.signal))).toBe(reason)
    expect(clock.elapsedMs).toBe(7_000)
  })

  it('a task handle keeps the unknown fields of its token, which a later version may have written', () => {
    const { media } = scripted([json({})])
    const extra = { written: 'later' }
    const token = writeResumeToken({ kind: 'media.task', id: 'a', extra })
    const again = media.resume(token).resumeToken()
    expect(readResumeToken(again, 'media.task')).toEqual({ kind: 'media.task', id: 'a', extra })
  })

  it('waits for a task reject when the client is closed', async () => {
    const { media, transport } = scripted([running()])
    const task = media.task('a')
    await task.poll()
    const waiting = rejection(task.wait())
    await media.close()
    expect(String(await waiting)).toMatch(/closed/)
    expect(transport.requests).toHaveLength(1)
  })
})

describe('canceling a task through its handle', () => {
  it('ends current and later waits as canceled after cancel() of the same handle', async () => {
    const { media, emulator, clock } = await offline()
    emulator.media.control.scriptTasks({ outcome: 'hold' })
    const task = await media.textToVideo(request)
    const waiting = rejection(task.wait())
    await task.cancel()
    const beganMs = clock.elapsedMs
    // The emulator then deletes the task, which is its own choice; the documentation doesn't say.
    const error = await waiting
    expect(TaskCancelledError.is(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'operation-failed',
      id: task.id,
      advice: 'none',
      reason: '',
      cause: { status: 404 },
    })
    expect(String(error)).toContain('the service no longer knows it')
    expect(clock.elapsedMs).toBe(beganMs)
    expect(TaskCancelledError.is(await rejection(task.wait()))).toBe(true)
    expect(emulator.media.state.tasks).toEqual([])
    // Another handle didn't cancel the task, so it reports what the service returns.
    expect(await rejection(media.task(task.id).wait())).toMatchObject({ status: 404 })
  })

  it('a wait ends as canceled after cancel() of a resumed handle, even with an undocumented status', async () => {
    const { media } = scripted([json({}), json({ id: 'a', status: 'CANCELED' })])
    const task = media.resume(media.task('a').resumeToken())
    await task.cancel()
    const error = await rejection(task.wait())
    expect(error).toMatchObject({ code: 'operation-failed', status: 'CANCELED', reason: 'CANCELED' })
    expect(String(error)).toContain("its status is 'CANCELED'")
  })

  it('a task is not reported as canceled if the service denied the cancellation', async () => {
    const { media } = scripted([json({}, 400), json({}, 404)])
    const task = media.task('a')
    await rejection(task.cancel())
    expect(await rejection(task.wait())).toMatchObject({ code: 'http', status: 404 })
  })

  it('a wait resolves if the task succeeded before its cancellation took effect', async () => {
    const { media } = scripted([json({}), succeeded()])
    const task = media.task('a')
    await task.cancel()
    expect(await task.wait()).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('a task counts as canceled if the response to cancel() was lost and the service no longer knows it', async () => {
    const { media } = scripted(['lost', json({}, 404)])
    const task = media.task('a')
    expect(await rejection(task.cancel())).toMatchObject({ code: 'submission-uncertain' })
    expect(TaskCancelledError.is(await rejection(task.wait()))).toBe(true)
  })
})
