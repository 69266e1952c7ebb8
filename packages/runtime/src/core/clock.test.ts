import { afterEach, expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'

afterEach(() => void vi.useRealTimers())

it('supports delays that are longer than the timers of the host allow', () => {
  vi.useFakeTimers()
  const callback = vi.fn()
  const days = 30 * 86_400_000
  systemClock.setTimer(callback, days)
  vi.advanceTimersByTime(days - 1)
  expect(callback).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(callback).toHaveBeenCalledOnce()
})

it('cancels a long delay even after its first timer has fired', () => {
  vi.useFakeTimers()
  const callback = vi.fn()
  const timer = systemClock.setTimer(callback, 30 * 86_400_000)
  vi.advanceTimersByTime(2 ** 31)
  timer.cancel()
  vi.advanceTimersByTime(30 * 86_400_000)
  expect(callback).not.toHaveBeenCalled()
})
