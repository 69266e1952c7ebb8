import { expect, it } from 'vitest'

import { ConnectionError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { countListeners } from '../poll/test-support/scripted-service.ts'
import { sendAll, watched } from './outbox.ts'
import { bytes, microtasks, radio } from './test-support/radio.ts'

it('a watched promise settles like its work', async () => {
  const ignored: unknown[] = []
  await watched(Promise.resolve(), (error) => ignored.push(error))
  const failure = new Error('failed')
  expect(await rejection(watched(Promise.reject(failure), (error) => ignored.push(error)))).toBe(failure)
  await microtasks(20)
  expect(ignored).toEqual([])
})

it('R-59: reports a failed send that no one handles', async () => {
  const ignored: unknown[] = []
  void watched(Promise.reject(new Error('failed')), (error) => ignored.push(error))
  await microtasks(20)
  expect(ignored).toMatchObject([{ message: 'failed' }])
})

it('R-59: a failed send counts as handled by any handler, also one attached a moment later', async () => {
  const ignored: unknown[] = []
  const onIgnored = (error: unknown) => ignored.push(error)
  const failed = () => watched(Promise.reject(new Error('failed')), onIgnored)
  failed().catch(() => undefined)
  failed().then(undefined, () => undefined)
  const all = Promise.allSettled([failed(), failed()])
  const late = failed()
  await microtasks(5)
  late.catch(() => undefined)
  await all
  await microtasks(20)
  expect(ignored).toEqual([])
})

it('`then` of a watched promise returns an ordinary promise', async () => {
  const next = watched(Promise.resolve(), () => undefined).then(() => 5)
  expect(next.constructor).toBe(Promise)
  expect(await next).toBe(5)
})

const never = new AbortController().signal

it('sends the chunks of a source one after another', async () => {
  const seen: unknown[] = []
  const send = async (chunk: Uint8Array) => {
    seen.push(chunk)
    await microtasks(3)
    seen.push('sent')
  }
  await sendAll(radio, [bytes(1), bytes(2)], send, never)
  expect(seen).toEqual([bytes(1), 'sent', bytes(2), 'sent'])
})

it('closes a source if sending fails or the connection is over, but not if the source has ended', async () => {
  const failure = new Error('no room')
  const { source, closed } = sourceOf(async () => ({ done: false, value: bytes(1) }))
  const failing = sendAll(radio, source, () => Promise.reject(failure), never)
  expect(await rejection(failing)).toBe(failure)
  expect(closed).toEqual(['closed'])
  const ended = sourceOf(async () => ({ done: true, value: undefined }))
  await sendAll(radio, ended.source, async () => undefined, never)
  expect(ended.closed).toEqual([])
  const broken = sourceOf(() => Promise.reject(failure))
  expect(await rejection(sendAll(radio, broken.source, async () => undefined, never))).toBe(failure)
  expect(broken.closed).toEqual([])
  const over = sourceOf(async () => expect.unreachable())
  expect(await rejection(sendAll(radio, over.source, async () => undefined, AbortSignal.abort('over')))).toBe(
    'over',
  )
  expect(over.closed).toEqual(['closed'])
})

it('the end of the connection ends the wait for the next chunk, and leaves no listener', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = countListeners(signal)
  const { source, closed } = sourceOf(() => new Promise(() => undefined))
  const sent = rejection(sendAll(radio, source, async () => undefined, signal))
  await microtasks(3)
  expect(listeners()).toBe(1)
  controller.abort('over')
  expect(await sent).toBe('over')
  expect(closed).toEqual(['closed'])
  expect(listeners()).toBe(0)
})

it.each<[string, Pick<AsyncIterator<Uint8Array>, 'return'>]>([
  ['rejects', { return: () => Promise.reject(new Error('stuck')) }],
  [
    'throws',
    {
      return: () => {
        throw new ConnectionError('foreign', { phase: 'connect', sent: 'no' })
      },
    },
  ],
  ['is missing', {}],
])('R-59: a source whose return() %s does not hide why it was closed', async (_, end) => {
  const next = async () => ({ done: false, value: bytes(1) }) as const
  const source = { [Symbol.asyncIterator]: () => ({ next, ...end }) }
  const failing = sendAll(radio, source, () => Promise.reject(new Error('no room')), never)
  expect(await rejection(failing)).toMatchObject({ message: 'no room' })
})

function sourceOf(next: () => Promise<IteratorResult<Uint8Array>>) {
  const closed: string[] = []
  const source = {
    [Symbol.asyncIterator]: () => ({
      next,
      return: async () => (closed.push('closed'), { done: true as const, value: undefined }),
    }),
  }
  return { source, closed }
}
