import { beforeEach, expect, it, vi } from 'vitest'

import { WAITER } from './test-support/scripted-service.ts'

// Without modules of earlier tests, the code that polls isn't loaded yet.
beforeEach(() => vi.resetModules())

async function service() {
  const { scriptedService } = await import('./test-support/scripted-service.ts')
  return scriptedService(() => ({ status: 'completed', result: 'done' }))
}

it('R-35: a hint counts while the code that polls is loading', async () => {
  const { clock, jobs, scheduler } = await service()
  const waits = [jobs.handle('j1').wait(), jobs.handle('j2').wait()]
  expect([scheduler.wake('j1', 'test.job'), scheduler.wake('j1', 'other'), scheduler.wake('j3')]).toEqual([
    1, 0, 0,
  ])
  await waits[0]
  expect(clock.monotonic()).toBe(0)
  await waits[1]
  expect(clock.monotonic()).toBe(WAITER.firstDelayMs)
  expect(scheduler.wake('j1')).toBe(0)
})

it('R-35: a hint counts while the code that polls is loading, even after another wait was aborted', async () => {
  const { clock, jobs, scheduler } = await service()
  const handle = jobs.handle('j1')
  const controller = new AbortController()
  const waits = [handle.wait(), handle.wait({ signal: controller.signal })]
  controller.abort(new Error('enough'))
  await expect(waits[1]).rejects.toThrow('enough')
  expect(scheduler.wake('j1')).toBe(1)
  await waits[0]
  expect(clock.monotonic()).toBe(0)
})

it('R-03: an abort while the code that polls is loading ends the wait', async () => {
  const { calls, jobs } = await service()
  const controller = new AbortController()
  const waiting = jobs.attach('j1').wait({ signal: controller.signal })
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(calls).toEqual([])
})

it('a scheduler that is closed while the code that polls is loading ends the wait', async () => {
  const { calls, jobs, scheduler } = await service()
  const waiting = jobs.attach('j1').wait()
  const reason = new Error('closed')
  scheduler.close(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(calls).toEqual([])
})

it('a loop that is left while the code that polls is loading polls nothing', async () => {
  const { calls, jobs } = await service()
  const changes = jobs.attach('j1').changes()
  const next = changes.next()
  expect(await changes.return?.()).toEqual({ done: true, value: undefined })
  expect(await next).toEqual({ done: true, value: undefined })
  expect(calls).toEqual([])
})
