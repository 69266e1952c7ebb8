import { expect, it } from 'vitest'

import { AbortGroups } from './poll-queue.ts'
import { countListeners } from './test-support/scripted-service.ts'

it('R-03: one listener serves all members of a signal, and is removed when the last one leaves', () => {
  const groups = new AbortGroups()
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  const one = { abort: () => {} }
  const other = { abort: () => {} }
  groups.join(controller.signal, one)
  groups.join(controller.signal, other)
  expect(listeners()).toBe(1)
  groups.leave(controller.signal, one)
  groups.leave(controller.signal, one)
  expect(listeners()).toBe(1)
  groups.leave(controller.signal, other)
  groups.leave(controller.signal, other)
  expect(listeners()).toBe(0)
})

it('R-03: an abort reaches every member once, including members that leave during the abort', () => {
  const groups = new AbortGroups()
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  const seen: unknown[] = []
  const members = ['a', 'b', 'c'].map((name) => ({
    abort(reason: unknown) {
      seen.push([name, reason])
      groups.leave(controller.signal, this)
    },
  }))
  for (const member of members) groups.join(controller.signal, member)
  controller.abort('why')
  expect(seen).toEqual([
    ['a', 'why'],
    ['b', 'why'],
    ['c', 'why'],
  ])
  expect(listeners()).toBe(0)
})
