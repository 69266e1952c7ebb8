import { expect, it } from 'vitest'

import { rejection } from '../http/test-support/fixtures.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { Requests } from './requests.ts'
import { microtasks } from './test-support/radio.ts'

it('R-56: matches a reply to the oldest message that it can belong to', async () => {
  const { requests, ask, sent } = asking()
  requests.noteSent(['yes', 'no'])
  requests.noteSent(['other'])
  const request = ask()
  await microtasks()
  expect(sent).toEqual(['ask'])
  // The first reply belongs to the message that was sent before.
  expect(requests.settle(entry('yes'))).toBe(false)
  expect(requests.settle(entry('other'))).toBe(false)
  expect(requests.settle(entry('line'))).toBe(false)
  expect(requests.settle({ ...entry('yes'), plan: undefined })).toBe(false)
  expect(requests.settle(entry('no'))).toBe(true)
  expect(await request).toMatchObject({ plan: { key: 'no' } })
  // Every reply was matched.
  expect(requests.settle(entry('yes'))).toBe(false)
})

it('R-56: matches a reply to the message with the same correlation, or by order if one of both has none', async () => {
  const { requests, ask } = asking()
  requests.noteSent(['yes'], 1)
  const asked = async (correlation: number | undefined, ...ids: (number | undefined)[]) => {
    const request = ask(correlation === undefined ? {} : { correlation })
    await microtasks()
    const settled = ids.map((id) => requests.settle(entry('yes', id)))
    await request
    return settled
  }
  expect(await asked(2, 3, 2)).toEqual([false, true])
  expect(requests.settle(entry('yes', 1))).toBe(false)
  expect(await asked(4, 3, undefined)).toEqual([false, true])
  expect(await asked(undefined, 3)).toEqual([true])
})

it('R-56: leaves replies that no caller awaits to the reader', () => {
  const { requests } = asking()
  expect(requests.settle(entry('yes'))).toBe(false)
  requests.noteSent(['yes'])
  expect(requests.settle(entry('yes'))).toBe(false)
  expect(requests.settle(entry('yes'))).toBe(false)
})

it('R-56: expects no reply to a message without one in the contract', async () => {
  const { requests, ask } = asking()
  requests.noteSent(undefined)
  const request = ask()
  await microtasks()
  expect(requests.settle(entry('yes'))).toBe(true)
  await request
  const asked = requests.perform('note', undefined, () => expect.unreachable(), {
    signal: undefined,
    timeoutMs: 1,
  })
  expect(await rejection(asked)).toMatchObject({ option: 'message' })
})

it('R-56: no longer expects a reply after 30 s, unless a caller waits for it', async () => {
  const { requests, ask, clock } = asking()
  requests.noteSent(['yes'])
  await clock.advance(1)
  requests.noteSent(['no'])
  await clock.advance(29_999)
  const request = ask({ timeoutMs: 100_000 })
  await microtasks()
  // The first message has lapsed, the second has not.
  expect(requests.settle(entry('no'))).toBe(false)
  expect(requests.settle(entry('yes'))).toBe(true)
  await request
  const late = ask({ timeoutMs: 100_000 })
  await clock.advance(60_000)
  expect(requests.settle(entry('yes'))).toBe(true)
  await late
})

it('R-56: expects at most 257 replies', async () => {
  const { requests, ask } = asking()
  for (let count = 0; count < 300; count++) requests.noteSent(['yes'])
  const request = ask()
  await microtasks()
  for (let count = 0; count < 256; count++) expect(requests.settle(entry('yes'))).toBe(false)
  expect(requests.settle(entry('yes'))).toBe(true)
  await request
})

it('R-56: a request that could not be sent fails, and the next one goes out', async () => {
  const { requests, ask, clock } = asking()
  const failed = requests.perform('tune', ['yes'], () => Promise.reject(new Error('no room')), {
    signal: undefined,
    timeoutMs: 1000,
  })
  expect(await rejection(failed)).toMatchObject({ message: 'no room' })
  expect(clock.timers).toBe(0)
  const next = ask()
  await microtasks()
  expect(requests.settle(entry('yes'))).toBe(true)
  await next
  expect(clock.timers).toBe(0)
})

it('R-32: the error of a late reply says that the reply may be behind unread messages', async () => {
  const { ask, clock, unread } = asking()
  const plain = rejection(ask({ timeoutMs: 1000 }))
  await clock.advance(1000)
  expect(await plain).toMatchObject({ code: 'timeout', limitMs: 1000, elapsedMs: 1000, operation: 'radio' })
  expect(String(await plain)).not.toContain('keep reading')
  unread.count = 7
  const behind = rejection(ask({ timeoutMs: 1000 }))
  await clock.advance(1000)
  expect(await behind).toMatchObject({
    elapsedMs: 1000,
    message: expect.stringContaining('7 received messages are waiting to be read'),
  })
})

it('R-56: after a time-out, forgets expected replies only if one came for an earlier message', async () => {
  const { requests, ask, clock } = asking()
  // A message whose reply is still to come when the request ends.
  requests.noteSent(['yes'])
  const early = rejection(ask({ timeoutMs: 1000 }))
  await clock.advance(1000)
  await early
  const second = ask({ timeoutMs: 1000 })
  await microtasks()
  expect(requests.settle(entry('yes'))).toBe(false)
  expect(requests.settle(entry('yes'))).toBe(false)
  const lost = rejection(second)
  await clock.advance(1000)
  await lost
  // Two replies came for earlier messages, so none of these is expected any more.
  const third = ask()
  await microtasks()
  expect(requests.settle(entry('yes'))).toBe(true)
  await third
})

it('R-54: the loss of a connection rejects the current request, and forgets all expected replies', async () => {
  const { requests, ask } = asking()
  requests.noteSent(['yes'])
  const lost = rejection(ask())
  const waiting = ask()
  await microtasks()
  requests.lose('lost')
  expect(await lost).toBe('lost')
  await microtasks()
  expect(requests.settle(entry('yes'))).toBe(true)
  await waiting
  requests.lose('lost')
})

it('R-55: the end of the connection rejects current and later requests', async () => {
  const { requests, ask, clock } = asking()
  const all = [rejection(ask()), rejection(ask())]
  await microtasks()
  requests.end('over')
  expect(await Promise.all(all)).toEqual(['over', 'over'])
  expect(await rejection(ask())).toBe('over')
  expect(clock.timers).toBe(0)
})

function entry(key: string, id?: number) {
  const descriptor = { kind: 'json', tags: [], correlation: '/id' } as const
  return { plan: { key, descriptor }, data: { id }, sizeBytes: 0, base: undefined }
}

function asking() {
  const clock = virtualClock({ autoAdvance: false })
  const unread = { count: 0 }
  const requests = new Requests(clock, 'radio', () => unread.count)
  const sent: string[] = []
  const ask = (options: { signal?: AbortSignal; timeoutMs?: number; correlation?: number } = {}) => {
    const send = async (onWritten: () => void) => {
      sent.push('ask')
      onWritten()
    }
    return requests.perform('tune', ['yes', 'no'], send, { signal: undefined, timeoutMs: 30_000, ...options })
  }
  return { requests, clock, unread, sent, ask }
}
