import { getEventListeners } from 'node:events'

import { expect, it } from 'vitest'

import { CharacterRateError } from '../src/socket-errors.ts'
import {
  bytes,
  errorAfter,
  rejection,
  speaking,
  streaming,
  stuck,
  synthesizing,
  textsOf,
  wired,
} from './support.ts'

const LIMIT = '{"code":"DATA-0001"}'

it.each([
  [0, [500, 1000, 1500, 1500]],
  [0.5, [750, 1500, 2250, 2250]],
  [0.999_999, [1000, 2000, 3000, 3000]],
])(
  'waits after a rate limit for at least half of a growing maximum: with %s, %j ms',
  async (random, expected) => {
    const { voice, peer, clock } = await synthesizing({ pace: { capMs: 3000 } }, { random: () => random })
    void voice.speak('a')
    await clock.settle()
    const waits: number[] = []
    for (let attempt = 1; attempt <= 4; attempt++) {
      peer.send(LIMIT)
      const beganMs = clock.elapsedMs
      let waitMs = 0
      for (; textsOf(peer).length === attempt && waitMs < 5000; waitMs = clock.elapsedMs - beganMs)
        await clock.advance(10)
      waits.push(waitMs)
    }
    expect(waits).toEqual(expected)
  },
)

it('starts with the short wait again only after a piece was spoken, not after any event', async () => {
  const { peer, clock } = await speaking(['a', 'b'])
  peer.send(LIMIT)
  await clock.advance(750)
  peer.send('{"ended":0}')
  peer.send(LIMIT)
  await clock.advance(1499)
  expect(textsOf(peer)).toEqual(['a', 'a'])
  await clock.advance(1)
  expect(textsOf(peer)).toEqual(['a', 'a', 'a'])
  peer.send('{"ended":1}')
  await clock.settle()
  peer.send(LIMIT)
  await clock.advance(749)
  expect(textsOf(peer)).toEqual(['a', 'a', 'a', 'b'])
  await clock.advance(1)
  expect(textsOf(peer)).toEqual(['a', 'a', 'a', 'b', 'b'])
})

it("doesn't send a piece that was interrupted during a wait, and doesn't wait for its end", async () => {
  const { voice, peer, clock } = await speaking('a')
  peer.send(LIMIT)
  await clock.settle()
  await voice.interrupt()
  void voice.speak('b')
  await clock.advance(750)
  expect(textsOf(peer)).toEqual(['a', 'b'])
  peer.send(LIMIT)
  await clock.settle()
  await voice.close()
  expect(clock.timers).toBe(0)
})

it('sends a piece at most `pace.attempts` times, then reports what was not spoken', async () => {
  const { voice, peer, clock } = await synthesizing({ pace: { attempts: 3, baseMs: 1 } })
  const failed = rejection(voice.speak('a'))
  await clock.settle()
  for (let count = 0; count < 3; count++) {
    peer.send(LIMIT)
    await clock.advance(100)
  }
  expect(await failed).toBeInstanceOf(CharacterRateError)
  expect(await failed).toMatchObject({ code: 'socket-closed', unspoken: ['a'] })
  expect(String(await failed)).toContain('The client made 3 attempts to send the text.')
  expect(textsOf(peer)).toEqual(['a', 'a', 'a'])
})

it('a rate limit ends a synthesis that sends every piece without waiting', async () => {
  const { wire, reading } = await streaming('a', { spoken: 'close' })
  wire.peer.send(LIMIT)
  await expect(reading).rejects.toBeInstanceOf(CharacterRateError)
  await expect(reading).rejects.toThrow("Because `spoken` is 'close', the client doesn't resend text")
})

it('ignores a rate limit while nothing is in flight', async () => {
  const { voice, peer, clock, audio } = await synthesizing()
  peer.send(LIMIT)
  await clock.settle()
  void voice.speak('a')
  await clock.advance(750)
  expect(textsOf(peer)).toEqual(['a'])
  peer.send(bytes(1))
  expect(await audio.next()).toMatchObject({ value: bytes(1) })
})

it.each([
  ['{"ended":0}', ['a', 'b']],
  ['{"ended":-1}', ['a', 'b']],
  ['{"other":1}', ['a', 'b']],
  ['{"ended":1}', ['a', 'b', 'c']],
  ['{"ended":2}', ['a', 'b', 'c', 'd']],
  ['{"ended":7}', ['a', 'b', 'c', 'd']],
])('sends as many pieces as %s makes room for', async (event, texts) => {
  const { peer, clock } = await speaking(['a', 'b', 'c', 'd'], { pace: { ahead: 2 } })
  peer.send(event)
  await clock.settle()
  expect(textsOf(peer)).toEqual(texts)
})

it('counts the end of an interrupted piece before those of later ones', async () => {
  const { voice, peer, clock, spoken: first } = await speaking(['a', 'b'], { pace: { ahead: 3 } })
  await voice.interrupt()
  const second = voice.speak(['c'])
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a', 'b', 'c'])
  const seen: string[] = []
  void second.then(() => seen.push('spoken'))
  peer.send('{"ended":2}')
  await clock.settle()
  expect(seen).toEqual([])
  peer.send('{"ended":1}')
  expect([await first, await second]).toEqual(['interrupted', 'spoken'])
})

it('speak() resolves when all of its pieces are spoken', async () => {
  const { voice, peer, clock } = await synthesizing({ pace: { ahead: 3 } })
  const seen: string[] = []
  void voice.speak(['a', 'b']).then(() => seen.push('first'))
  void voice.speak('c').then(() => seen.push('second'))
  void voice.speak([]).then(() => seen.push('empty'))
  await clock.settle()
  peer.send('{"ended":1}')
  await clock.settle()
  expect(seen).toEqual(['empty'])
  peer.send('{"ended":2}')
  await clock.settle()
  expect(seen).toEqual(['empty', 'first', 'second'])
})

it('reads audio ahead of the reader, up to `maxBufferedBytes`', async () => {
  const events: unknown[] = []
  const { peer, clock, audio } = await speaking('a', {
    maxBufferedBytes: 10,
    onEvent: (event) => events.push(event.data),
  })
  const piece = () => new Uint8Array(5)
  peer.send(piece())
  peer.send('{"n":1}')
  peer.send(piece())
  peer.send('{"n":2}')
  await clock.settle()
  expect(events).toEqual([{ n: 1 }, { n: 2 }])
  peer.send(piece())
  peer.send('{"n":3}')
  await clock.settle()
  expect(events).toHaveLength(2)
  await audio.next()
  await clock.settle()
  expect(events).toHaveLength(3)
})

it('reads audio again after an interruption, no matter how much was buffered', async () => {
  const { voice, peer, clock, audio } = await speaking('a', { maxBufferedBytes: 0 })
  peer.send(bytes(1))
  peer.send('{"ended":1}')
  await clock.settle()
  await voice.interrupt()
  void voice.speak('b')
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a', 'b'])
  peer.send(bytes(2))
  expect(await audio.next()).toMatchObject({ value: bytes(2) })
})

it('an error that `onEvent` throws ends the loop, and every later call rejects with it', async () => {
  const mine = Object.assign(new Error('mine'), { about: 'DATA-0001' })
  const { voice, peer, clock, audio } = await synthesizing({
    onEvent: () => {
      throw mine
    },
  })
  const spoken = rejection(voice.speak('a'))
  await clock.settle()
  peer.send(bytes(1))
  peer.send('{"n":1}')
  await clock.settle()
  // Audio that had arrived can still be read.
  expect(await audio.next()).toMatchObject({ value: bytes(1) })
  expect(await rejection(audio.next())).toBe(mine)
  expect(await rejection(audio.next())).toBe(mine)
  expect(await spoken).toBe(mine)
  expect(await rejection(voice.speak('b'))).toBe(mine)
  expect(peer.closedBy).toMatchObject({ code: 1000 })
})

it('R-03: a closed synthesizer leaves no listener on the signal, and no timer', async () => {
  const { signal } = new AbortController()
  const { voice, clock } = await speaking('a', { signal })
  await voice.close()
  await voice.close()
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(clock.timers).toBe(0)
})

it('a close by the service before a source has ended is an error', async () => {
  const { wire, reading } = await streaming(stuck('a'), { spoken: 'close' })
  wire.peer.close(1000)
  await expect(reading).rejects.toMatchObject({ code: 'socket-closed', closeCode: 1000 })
})

it('R-32: the idle timeout starts over with each piece that is sent', async () => {
  const { voice, peer, clock, audio } = await synthesizing({ idleTimeoutMs: 1000 })
  void voice.speak(['a', 'b'])
  await clock.advance(900)
  peer.send('{"ended":1}')
  const error = await errorAfter(1000, { clock, audio })
  expect(error).toMatchObject({ code: 'timeout', limitMs: 1000, elapsedMs: 1000 })
})

it("R-32: the idle timeout doesn't run while the client waits after a rate limit", async () => {
  const { peer, clock, audio } = await speaking('a', { idleTimeoutMs: 1000, pace: { baseMs: 10_000 } })
  peer.send(LIMIT)
  await clock.advance(7499)
  expect(textsOf(peer)).toEqual(['a'])
  await clock.advance(1)
  expect(textsOf(peer)).toEqual(['a', 'a'])
  expect(await errorAfter(1000, { clock, audio })).toMatchObject({ code: 'timeout' })
})

it('R-32: a silent service is an error before a source has ended, and after an interrupted piece', async () => {
  const { voice, clock, audio } = await synthesizing({ idleTimeoutMs: 1000 })
  void voice.speak(stuck('a'))
  expect(await errorAfter(1000, { clock, audio })).toMatchObject({
    code: 'timeout',
    operation: 'speechStream',
  })
  const ahead = await synthesizing({ idleTimeoutMs: 1000, pace: { ahead: 2 } })
  void ahead.voice.speak('a')
  await ahead.clock.settle()
  await ahead.voice.interrupt()
  void ahead.voice.speak('b')
  expect(await errorAfter(1000, ahead)).toMatchObject({ code: 'timeout' })
})

it("R-32: a silent service isn't an error if its close is the end, and a source hasn't ended", async () => {
  const wire = wired()
  const options = { spoken: 'close', idleTimeoutMs: 1000 } as const
  const reading = wire.speech.speakStream(stuck('a'), options)
  const first = reading.next()
  await wire.clock.advance(5000)
  wire.peer.send(bytes(1))
  expect(await first).toMatchObject({ value: bytes(1) })
  await reading.return()
})

it('R-32: the idle timeout needs one timer, and only while something is spoken', async () => {
  const { voice, peer, clock } = await synthesizing({ idleTimeoutMs: 1000, liveness: false })
  for (const text of ['a', 'b', 'c']) void voice.speak(text)
  await clock.settle()
  expect(clock.timers).toBe(1)
  for (const _ of [1, 2, 3]) {
    peer.send('{"ended":1}')
    await clock.settle()
  }
  await clock.advance(5000)
  expect(clock.timers).toBe(0)
})

it("R-32: a silent service is an error while a clear message isn't confirmed", async () => {
  const clear = { message: { type: 'Drop' }, cleared: () => false }
  const { voice, clock, audio } = await speaking('a', { idleTimeoutMs: 1000, clear })
  await voice.interrupt()
  expect(await errorAfter(1000, { clock, audio })).toMatchObject({ code: 'timeout' })
})
