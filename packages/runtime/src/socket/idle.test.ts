import { expect, it } from 'vitest'

import type { Clock } from '../core/clock.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { type Activity, activityOf, startKeepAlive, watchLiveness, whenQuiet } from './idle.ts'
import { linkTo, PingingSocket, RecordingSocket } from './test-support/recording-socket.ts'

const rule = { message: 'keepAlive', payload: { a: 1 }, minIntervalMs: 3000, maxIntervalMs: 5000 }

it('R-51: sends the keep-alive in the middle of its interval after the last audio, until it is stopped', async () => {
  const { clock, times, outbox, stop } = kept()
  await clock.advance(3999)
  expect(times).toEqual([])
  await clock.advance(1)
  expect(times).toEqual([4000])
  outbox.lastActivityMs = 6000
  await clock.advance(6000)
  expect(times).toEqual([4000, 10_000])
  stop()
  expect(clock.timers).toBe(0)
})

function kept() {
  const clock = virtualClock({ autoAdvance: false })
  const times: number[] = []
  const outbox = {
    lastActivityMs: 0,
    keepAlive(text: string) {
      expect(text).toBe('{"a":1}')
      times.push(clock.monotonic())
      outbox.lastActivityMs = clock.monotonic()
    },
  }
  return { clock, times, outbox, stop: startKeepAlive(rule, clock, outbox) }
}

it('R-58: pings a silent server and reports a silence that a ping does not end', async () => {
  const { clock, socket, seen, watch, link } = watched({ pingIntervalMs: 1000, pongTimeoutMs: 500 })
  watch()
  await clock.advance(400)
  link.message('x')
  await clock.advance(999)
  expect(socket.calls).toEqual([])
  await clock.advance(1)
  expect(socket.calls).toEqual([['ping', 1]])
  expect(seen).toEqual(['reads ahead'])
  await clock.advance(499)
  expect(seen).toEqual(['reads ahead'])
  await clock.advance(1)
  expect(seen).toEqual(['reads ahead', 1500])
  expect(clock.timers).toBe(0)
})

it('R-58: any sign of life counts as the response to a ping', async () => {
  const { clock, socket, seen, watch, link } = watched({ pingIntervalMs: 1000, pongTimeoutMs: 500 })
  const stop = watch()
  await clock.advance(1000)
  await clock.advance(100)
  link.message('x')
  await clock.advance(400)
  expect(seen).toEqual(['reads ahead', 'reads normally'])
  await clock.advance(599)
  expect(socket.calls).toHaveLength(1)
  await clock.advance(1)
  expect(socket.calls).toEqual([
    ['ping', 1],
    ['ping', 2],
  ])
  expect(seen).toEqual(['reads ahead', 'reads normally', 'reads ahead'])
  link.pong(2)
  stop()
  expect(seen).toEqual(['reads ahead', 'reads normally', 'reads ahead', 'reads normally'])
  stop()
  expect([seen.length, clock.timers]).toEqual([4, 0])
})

it('R-58: keeps pinging while signs of life may be behind unread messages', async () => {
  const { clock, socket, seen, watch, owner } = watched({
    pingIntervalMs: 1000,
    pongTimeoutMs: 500,
  })
  owner.paused = true
  watch()
  await clock.advance(3000)
  expect(seen).toEqual(['reads ahead'])
  expect(socket.calls).toHaveLength(5)
  owner.paused = false
  await clock.advance(500)
  expect(seen).toEqual(['reads ahead', 3500])
})

// A timer that is late says that the process was suspended, and nothing about the server.
it.each([
  [1000, [2500]],
  [1001, []],
])('R-58: reports a silence if its timer is %i ms late: %j', async (lateMs, reported) => {
  const { clock, seen, socket, watch, late } = watched({
    pingIntervalMs: 1000,
    pongTimeoutMs: 500,
  })
  watch()
  await clock.advance(1000)
  late.byMs = lateMs
  await clock.advance(500)
  expect(seen).toEqual(['reads ahead', ...reported])
  expect(socket.calls).toHaveLength(2 - reported.length)
  // The server gets the same time again.
  await clock.advance(500)
  expect(seen).toHaveLength(2)
})

it('R-58: limits inactivity without sending pings', async () => {
  const { clock, seen, socket, watch, link } = watched({ inactivityMs: 1000 }, new PingingSocket())
  watch()
  await clock.advance(600)
  link.message('x')
  await clock.advance(999)
  expect(seen).toEqual([])
  await clock.advance(1)
  expect(seen).toEqual([1000])
  expect(socket.calls).toEqual([])
})

it('R-58: with a limit on inactivity, waits again while signs of life may be behind unread messages', async () => {
  const { clock, seen, socket, watch, owner } = watched({ inactivityMs: 1000 })
  owner.paused = true
  watch()
  await clock.advance(3000)
  expect(seen).toEqual(['reads ahead'])
  expect(socket.calls).toHaveLength(3)
  owner.paused = false
  await clock.advance(999)
  expect(seen).toEqual(['reads ahead'])
  await clock.advance(1)
  expect(seen).toEqual(['reads ahead', 4000])
})

it('R-58: with a limit on inactivity, the server has this time again after the process was suspended', async () => {
  const { clock, seen, watch, late } = watched({ inactivityMs: 1000 })
  watch()
  late.byMs = 60_000
  await clock.advance(1000)
  await clock.advance(999)
  expect(seen).toEqual(['reads ahead'])
  await clock.advance(1)
  expect(seen).toEqual(['reads ahead', 62_000])
})

it('R-58: watches nothing if the host cannot ping and inactivity is not limited', () => {
  const blind = watched({ pingIntervalMs: 1000 }, new RecordingSocket())
  blind.watch()
  expect(blind.clock.timers).toBe(0)
  const off = watched({ pingIntervalMs: Infinity })
  off.watch()
  expect(off.clock.timers).toBe(0)
})

function watched(given: object, made: RecordingSocket = new PingingSocket()) {
  const { link, socket, clock } = linkTo(made)
  const seen: unknown[] = []
  const late = { byMs: 0 }
  const lateClock: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + late.byMs,
    setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
  }
  const owner = {
    paused: false,
    isPaused: () => owner.paused,
    readAhead: (on: boolean) => void seen.push(on ? 'reads ahead' : 'reads normally'),
    onSilence: (silentMs: number) => void seen.push(silentMs),
  }
  const settings = { pingIntervalMs: Infinity, pongTimeoutMs: Infinity, inactivityMs: Infinity, ...given }
  return {
    link,
    socket,
    clock,
    seen,
    owner,
    late,
    watch: () => watchLiveness(link, lateClock, settings, owner),
  }
}

it('R-59: the quiet period starts with the last activity', async () => {
  const { clock, activity, done } = waiting(1000)
  await clock.advance(500)
  activity.lastMs = 400
  await clock.advance(500)
  expect(done).toEqual([])
  await clock.advance(399)
  expect(done).toEqual([])
  await clock.advance(1)
  expect(done).toEqual([true])
  expect(clock.timers).toBe(0)
})

it('R-59: finishing gives up after a minute in which nothing happened and no bytes left', async () => {
  const { clock, activity, done } = waiting(0, { isBusy: true, remainingBytes: 100 })
  await clock.advance(59_000)
  activity.remainingBytes = 99
  await clock.advance(59_000)
  activity.steps = 1
  await clock.advance(59_000)
  // More bytes don't count as progress.
  activity.remainingBytes = 200
  await clock.advance(900)
  expect(done).toEqual([])
  await clock.advance(200)
  expect(done).toEqual([false])
  expect(clock.timers).toBe(0)
  const still = waiting(0, { isBusy: true })
  await still.clock.advance(59_999)
  expect(still.done).toEqual([])
  await still.clock.advance(1)
  expect(still.done).toEqual([false])
})

it('R-59: finishing has a full minute of patience again after a quiet time', async () => {
  const { clock, activity, done } = waiting(100_000)
  await clock.advance(90_000)
  activity.lastMs = 90_000
  await clock.advance(10_000)
  activity.isBusy = true
  await clock.advance(90_000)
  expect(done).toEqual([])
  await clock.advance(50_000)
  expect(done).toEqual([])
  await clock.advance(10_100)
  expect(done).toEqual([false])
})

function waiting(quietMs: number, initial: Partial<Activity> = {}) {
  const clock = virtualClock({ autoAdvance: false })
  const activity = { isUnlimited: false, isBusy: false, steps: 0, remainingBytes: 0, lastMs: 0, ...initial }
  const done: boolean[] = []
  const { signal } = new AbortController()
  void whenQuiet(clock, quietMs, () => ({ ...activity }), signal).then((value) => done.push(value))
  return { clock, activity, done }
}

const idle = { arrived: 0, lastMs: 0, sources: 0 }
const outbox = { bufferedBytes: 0, isHolding: false, lastSentMs: 0 }
const queue = { pending: 0, taken: 0 }

it('R-59: work may take any time only if nothing but a source is under way', () => {
  const { link } = linkTo(new RecordingSocket())
  const sending = { ...idle, sources: 1 }
  expect(activityOf(link, outbox, queue, sending).isUnlimited).toBe(true)
  expect(activityOf(link, { ...outbox, isHolding: true }, queue, sending).isUnlimited).toBe(false)
  expect(activityOf(link, outbox, { ...queue, pending: 1 }, sending).isUnlimited).toBe(false)
  expect(activityOf(link, outbox, queue, idle).isUnlimited).toBe(false)
})

it('R-59: a connection without a socket is busy', () => {
  expect(activityOf(undefined, outbox, queue, idle)).toEqual({
    isUnlimited: true,
    isBusy: true,
    steps: 0,
    remainingBytes: 0,
    lastMs: 0,
  })
})

it('R-59: pings the server once everything was sent, and counts the pong as progress', () => {
  const { link, socket } = linkTo(new PingingSocket())
  link.send('x', false)
  expect(activityOf(link, { ...outbox, bufferedBytes: 1 }, queue, idle)).toMatchObject({
    isBusy: true,
    remainingBytes: 1,
  })
  expect(socket.calls).toEqual(['x'])
  socket.bufferedBytes = 0
  expect(activityOf(link, outbox, queue, idle).isBusy).toBe(true)
  expect(socket.calls).toEqual(['x', ['ping', 1]])
  link.pong(1)
  expect(
    activityOf(link, { ...outbox, lastSentMs: 5 }, { ...queue, taken: 2 }, { ...idle, arrived: 3 }),
  ).toEqual({ isUnlimited: false, isBusy: false, steps: 6, remainingBytes: 0, lastMs: 5 })
  expect(activityOf(link, outbox, queue, { ...idle, lastMs: 7 }).lastMs).toBe(7)
})
