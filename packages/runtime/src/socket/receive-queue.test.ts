import { expect, it } from 'vitest'

import { rejection } from '../http/test-support/fixtures.ts'
import { ReceiveQueue } from './receive-queue.ts'
import type { RawSocket } from './socket.ts'
import { linkTo, RecordingSocket } from './test-support/recording-socket.ts'

it('R-53: pauses at the limit of messages, and resumes when half of them were read', async () => {
  const { queue, calls } = queueOf({ maxMessages: 4 })
  for (let value = 0; value < 3; value++) expect(queue.push(entry(value))).toBe(true)
  expect(calls).toEqual([])
  queue.push(entry(3))
  expect(calls).toEqual(['pause'])
  expect(queue.paused).toBe(true)
  await queue.next()
  expect(calls).toEqual(['pause'])
  await queue.next()
  expect(calls).toEqual(['pause', 'resume'])
  expect(queue.paused).toBe(false)
})

it('R-53: pauses at the limit of bytes, and resumes when half of them were read', async () => {
  const { queue, calls } = queueOf({ maxBytes: 100 })
  queue.push(entry(0, 99))
  expect(calls).toEqual([])
  queue.push(entry(1, 1))
  expect(calls).toEqual(['pause'])
  expect(queue.bytes).toBe(100)
  await queue.next()
  expect(queue.bytes).toBe(1)
  expect(calls).toEqual(['pause', 'resume'])
  queue.push(entry(2, 50))
  queue.push(entry(3, 50))
  await queue.next()
  expect(calls).toEqual(['pause', 'resume', 'pause'])
  await queue.next()
  expect(calls).toEqual(['pause', 'resume', 'pause', 'resume'])
})

it('R-53: queues messages that still arrive after a pause', async () => {
  const { queue } = queueOf({ maxMessages: 1 })
  for (let value = 0; value < 5; value++) expect(queue.push(entry(value))).toBe(true)
  expect(queue.dropped).toBe(0)
  expect(await valuesOf(queue, 5)).toEqual([0, 1, 2, 3, 4])
})

it("R-53: drops messages that don't fit with `whenFull: 'overflow'`", async () => {
  const { queue, calls } = queueOf({ maxMessages: 2, whenFull: 'overflow' })
  expect([0, 1, 2, 3].map((value) => queue.push(entry(value)))).toEqual([true, true, false, false])
  expect(queue.dropped).toBe(2)
  expect(queue.count).toBe(2)
  expect(calls).toEqual([])
  await queue.next()
  expect(queue.push(entry(4))).toBe(true)
  expect(await valuesOf(queue, 2)).toEqual([1, 4])
})

it("R-53: drops messages that don't fit if the host can't pause", () => {
  const { queue } = queueOf({ maxMessages: 1 }, false)
  expect(queue.push(entry(0))).toBe(true)
  expect(queue.paused).toBe(false)
  expect(queue.push(entry(1))).toBe(false)
  expect(queue.dropped).toBe(1)
})

it("R-53: messages for waiting readers don't count toward the limit", async () => {
  const { queue } = queueOf({ maxMessages: 1, whenFull: 'overflow' })
  const first = queue.next()
  const second = queue.next()
  for (const value of [0, 1, 2]) expect(queue.push(entry(value))).toBe(true)
  expect(await first).toEqual({ done: false, value: 0 })
  expect(await second).toEqual({ done: false, value: 1 })
  expect(queue.taken).toBe(2)
  expect(queue.count).toBe(1)
})

it('R-56: reads up to twice the limits while a caller waits for a reply', async () => {
  const { queue, calls } = queueOf({ maxMessages: 2 })
  queue.push(entry(0))
  queue.push(entry(1))
  queue.stretch(true)
  queue.stretch(true)
  expect(calls).toEqual(['pause', 'resume'])
  queue.push(entry(2))
  expect(calls).toHaveLength(2)
  queue.push(entry(3))
  expect(calls).toEqual(['pause', 'resume', 'pause'])
  queue.stretch(false)
  expect(queue.paused).toBe(true)
  await queue.next()
  // The other caller still waits, and there is room in twice the limits.
  expect(calls).toEqual(['pause', 'resume', 'pause', 'resume'])
  queue.stretch(false)
  expect(calls).toHaveLength(5)
  expect(queue.paused).toBe(true)
})

it('R-56: reads up to twice the limit of bytes while a caller waits for a reply', () => {
  const { queue, calls } = queueOf({ maxBytes: 10 })
  queue.stretch(true)
  queue.push(entry(0, 19))
  expect(calls).toEqual([])
  queue.push(entry(1, 1))
  expect(calls).toEqual(['pause'])
})

it("R-55: doesn't pause again once the connection closes", () => {
  const { queue, calls } = queueOf({ maxMessages: 1 })
  queue.push(entry(0))
  queue.close()
  expect(calls).toEqual(['pause', 'resume'])
  queue.close()
  expect(queue.push(entry(1))).toBe(false)
  expect(calls).toEqual(['pause', 'resume'])
  expect(queue.dropped).toBe(1)
})

it('pauses the new connection if messages of the old one fill it', () => {
  const { queue } = queueOf({ maxMessages: 1 })
  queue.push(entry(0))
  const { link, calls } = linkOf()
  queue.attach(link)
  expect(calls).toEqual(['pause'])
  queue.clear()
  expect(queue).toMatchObject({ count: 0, bytes: 0, dropped: 1 })
  queue.attach(link)
  expect(calls).toEqual(['pause'])
  expect(queue.paused).toBe(false)
})

it('messages are pending for a reader from its first step until it leaves, or while reading is paused', async () => {
  const { queue, calls } = queueOf({ maxMessages: 5 })
  for (const value of [0, 1, 2, 3]) queue.push(entry(value))
  const [reader, other] = [queue.iterator(), queue.iterator()]
  expect(queue.pending).toBe(0)
  await reader.next()
  await reader.next()
  await other.next()
  expect(await reader.return?.()).toEqual({ done: true, value: undefined })
  await reader.return?.()
  expect(queue.pending).toBe(1)
  await other.return?.()
  expect(queue.pending).toBe(0)
  for (const value of [4, 5, 6, 7]) queue.push(entry(value))
  expect([calls, queue.pending]).toEqual([['pause'], 5])
})

it('throws the failure once, after everything that arrived was read', async () => {
  const { queue } = queueOf({})
  queue.push(entry(0))
  const failure = new Error('lost')
  queue.end({ error: failure })
  queue.end(undefined)
  expect(queue.push(entry(1))).toBe(true)
  expect(await queue.next()).toEqual({ done: false, value: 0 })
  expect(await rejection(queue.next())).toBe(failure)
  expect(await queue.next()).toEqual({ done: true, value: undefined })
  expect(queue.dropped).toBe(0)
})

it('at the end, one waiting reader gets the failure, and the others get the end', async () => {
  const { queue } = queueOf({})
  const waiting = [queue.next(), queue.next()]
  queue.end({ error: 'lost' })
  expect(await rejection(waiting[0]!)).toBe('lost')
  expect(await waiting[1]).toEqual({ done: true, value: undefined })
  const { queue: proper } = queueOf({})
  const ended = proper.next()
  proper.end(undefined)
  expect(await ended).toEqual({ done: true, value: undefined })
})

it('rejects with what reading an entry throws, and continues with the next entry', async () => {
  const queue = new ReceiveQueue(limits({}), ({ value }: Entry): number | Promise<number> => {
    if (value === 0) throw new Error('at once')
    if (value === 1) return Promise.reject(new Error('later'))
    return Promise.resolve(value)
  })
  for (const value of [0, 1, 2]) queue.push(entry(value))
  expect(await rejection(queue.next())).toMatchObject({ message: 'at once' })
  expect(await rejection(queue.next())).toMatchObject({ message: 'later' })
  expect(await queue.next()).toEqual({ done: false, value: 2 })
  const waiting = queue.next()
  queue.push(entry(0))
  expect(await rejection(waiting)).toMatchObject({ message: 'at once' })
})

interface Entry {
  readonly value: number
  readonly sizeBytes: number
}

const entry = (value: number, sizeBytes = 1): Entry => ({ value, sizeBytes })

const limits = (given: object) =>
  ({ whenFull: 'pressure', maxBytes: 1000, maxMessages: 100, ...given }) as const

/** A link to a socket that notes when reading stops and continues. */
function linkOf(canPause = true) {
  const socket = new RecordingSocket()
  const { link } = linkTo<RawSocket>(canPause ? socket : { ...socket, send() {}, close() {}, terminate() {} })
  return { link, calls: socket.calls }
}

function queueOf(given: object, canPause = true) {
  const { link, calls } = linkOf(canPause)
  const queue = new ReceiveQueue(limits(given), ({ value }: Entry) => value)
  queue.attach(link)
  return { queue, calls }
}

async function valuesOf(queue: ReceiveQueue<Entry, number>, count: number): Promise<unknown[]> {
  const values: unknown[] = []
  while (values.length < count) values.push((await queue.next()).value)
  return values
}
