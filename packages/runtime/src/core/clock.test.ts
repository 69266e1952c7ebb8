import { afterEach, expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'

afterEach(() => void vi.useRealTimers())

it('keeps to delays that are longer than a timer of the host can be', () => {
  vi.useFakeTimers()
  const callback = vi.fn()
  const days = 30 * 86_400_000
  systemClock.setTimer(callback, days)
  vi.advanceTimersByTime(days - 1)
  expect(callback).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(callback).toHaveBeenCalledOnce()
})

it('cancels a long delay after its first leg too', () => {
  vi.useFakeTimers()
  const callback = vi.fn()
  const timer = systemClock.setTimer(callback, 30 * 86_400_000)
  vi.advanceTimersByTime(2 ** 31)
  timer.cancel()
  vi.advanceTimersByTime(30 * 86_400_000)
  expect(callback).not.toHaveBeenCalled()
})
