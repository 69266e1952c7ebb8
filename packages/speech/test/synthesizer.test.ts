import { TimeoutError } from '@concord/runtime'
import { expect, it } from 'vitest'

import {
  bytes,
  errorAfter,
  rejection,
  rule,
  speaking,
  streaming,
  stuck,
  synthesizing,
  textsOf,
  unhandledRejections,
  wired,
} from './support.ts'

const END = '{"end":true}'
const CLEAR = {
  message: { type: 'Drop' },
  cleared: (event: unknown) => (event as { dropped?: boolean }).dropped === true,
}

it('a synthesizer speaks one piece after another, and reports when each is spoken', async () => {
  const { wire, voice, peer, audio, clock } = await synthesizing()
  const first = voice.speak('a')
  const second = voice.speak(['b', 'c'])
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a'])
  peer.send(bytes(1))
  peer.send(END)
  expect(await first).toBe('spoken')
  await clock.settle()
  peer.send(END)
  await clock.settle()
  peer.send(bytes(3))
  peer.send(END)
  expect(await second).toBe('spoken')
  expect([await audio.next(), await audio.next()]).toMatchObject([{ value: bytes(1) }, { value: bytes(3) }])
  expect(textsOf(peer)).toEqual(['a', 'b', 'c'])
  expect(wire.sockets.requests).toHaveLength(1)
})

it('sends the flush message after each piece, and on demand', async () => {
  const { voice, peer, clock } = await speaking(['a', 'b'], { flush: { type: 'Go' } })
  peer.send(END)
  await clock.settle()
  await voice.flush()
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a', { type: 'Go' }, 'b', { type: 'Go' }, { type: 'Go' }])
})

it('flush() rejects without a `flush` message', async () => {
  const { voice } = await synthesizing()
  await expect(voice.flush()).rejects.toMatchObject({ code: 'invalid-options', option: 'flush' })
})

it('speak() rejects if its source fails, and the next text is spoken', async () => {
  const { voice, peer, clock } = await synthesizing()
  async function* failing(): AsyncGenerator<string> {
    yield ''
    throw new Error('no words')
  }
  await expect(voice.speak(failing())).rejects.toThrow('no words')
  void voice.speak('b')
  await clock.settle()
  expect(textsOf(peer)).toEqual(['b'])
})

it('close() ends the loop, and rejects what was not spoken', async () => {
  const events: unknown[] = []
  const { voice, peer, audio, clock } = await synthesizing({
    clear: CLEAR,
    onEvent: (event) => events.push(event),
  })
  const ended = rejection(voice.speak('a'))
  await clock.settle()
  {
    await using _open = voice
    peer.send('{"late":1}')
  }
  expect(await ended).toMatchObject({ code: 'socket-closed', closeCode: 1000, operation: 'speechStream' })
  expect(await audio.next()).toEqual({ done: true, value: undefined })
  await voice.interrupt()
  expect(peer.closedBy).toMatchObject({ code: 1000 })
  expect(events).toEqual([])
  await expect(voice.speak('b')).rejects.toMatchObject({ code: 'socket-closed' })
})

it('R-59: a lost synthesizer can be interrupted and flushed without unhandled rejections', async () => {
  const unhandled = unhandledRejections()
  const { voice, peer, clock } = await speaking(['a', 'b'], { clear: CLEAR, flush: { type: 'Go' } })
  peer.drop()
  void voice.interrupt()
  void voice.flush()
  await clock.settle()
  void voice.interrupt()
  const flushed = voice.flush()
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
  await voice.interrupt()
  expect(await rejection(flushed)).toMatchObject({ code: 'socket-closed' })
})

it('the loss of the connection rejects the reader and speak(), without unhandled rejections', async () => {
  const { voice, peer, audio, clock } = await synthesizing()
  void voice.speak('a')
  const ended = rejection(voice.speak('b'))
  await clock.settle()
  peer.drop()
  expect(await rejection(audio.next())).toMatchObject({ code: 'socket-closed', closeCode: 1006 })
  expect(await ended).toMatchObject({ code: 'socket-closed', closeCode: 1006 })
})

it('interrupt() drops unread audio and unsent text immediately, and the next piece is spoken', async () => {
  const { voice, peer, audio, clock, spoken: first } = await speaking(['a', 'b'])
  peer.send(bytes(1))
  await clock.settle()
  await voice.interrupt()
  expect(await first).toBe('interrupted')
  void voice.speak('c')
  await clock.settle()
  // The service still speaks `a`, but its audio and end event are ignored.
  expect(textsOf(peer)).toEqual(['a'])
  peer.send(bytes(2))
  peer.send(END)
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a', 'c'])
  peer.send(bytes(3))
  expect(await audio.next()).toEqual({ done: false, value: bytes(3) })
})

it('interrupt() sends the clear message, and accepts audio again once it is confirmed', async () => {
  const { voice, peer, audio, clock } = await speaking('a', { clear: CLEAR })
  await voice.interrupt()
  void voice.speak('b')
  peer.send(bytes(1))
  peer.send(END)
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a', { type: 'Drop' }])
  peer.send('{"dropped":true}')
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a', { type: 'Drop' }, 'b'])
  peer.send(bytes(2))
  expect(await audio.next()).toEqual({ done: false, value: bytes(2) })
})

it('a confirmation without a clear message is ignored', async () => {
  const { voice, peer, clock } = await synthesizing({ clear: CLEAR })
  peer.send('{"dropped":true}')
  await clock.settle()
  void voice.speak('a')
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a'])
})

it('interrupt() sends no clear message when nothing is being spoken', async () => {
  const { voice, peer, clock } = await synthesizing({ clear: CLEAR })
  await voice.interrupt()
  void voice.speak('a')
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a'])
})

it("interrupt() doesn't wait for a source that is stuck", async () => {
  const { voice, peer, clock, spoken: first } = await speaking(stuck('a'))
  await voice.interrupt()
  expect(await first).toBe('interrupted')
  peer.send(END)
  void voice.speak('b')
  await clock.settle()
  expect(textsOf(peer)).toEqual(['a', 'b'])
})

it('a rate limit ends an interrupted piece that was not spoken', async () => {
  const { voice, peer, clock } = await speaking('a')
  await voice.interrupt()
  peer.send('{"code":"DATA-0001"}')
  void voice.speak('b')
  await clock.advance(749)
  expect(textsOf(peer)).toEqual(['a'])
  await clock.advance(1)
  expect(textsOf(peer)).toEqual(['a', 'b'])
})

it('a rate limit that ends an interrupted piece lets a waiting piece through', async () => {
  const { voice, peer, clock } = await speaking('a')
  await voice.interrupt()
  void voice.speak('b')
  await clock.settle()
  peer.send('{"code":"DATA-0001"}')
  await clock.advance(750)
  expect(textsOf(peer)).toEqual(['a', 'b'])
})

it('a silent service is an error after 30 seconds, with the possible causes', async () => {
  const error = await errorAfter(30_000, await speaking('a'))
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({
    message: expect.stringMatching(/which you can pass as `flush`/) as unknown,
  })
})

it('the idle timeout counts from the most recent message', async () => {
  const { peer, audio, clock } = await speaking('a', { idleTimeoutMs: 1000 })
  await clock.advance(900)
  peer.send(bytes(1))
  expect(await audio.next()).toMatchObject({ value: bytes(1) })
  expect(await errorAfter(1000, { clock, audio })).toBeInstanceOf(TimeoutError)
})

it("the idle timeout doesn't run between two pieces, or while the reader is behind", async () => {
  const { voice, peer, audio, clock } = await speaking('a', {
    idleTimeoutMs: 1000,
    maxBufferedBytes: 0,
  })
  peer.send(bytes(1))
  peer.send(END)
  await clock.advance(5000)
  expect(await audio.next()).toMatchObject({ value: bytes(1) })
  await clock.settle()
  await clock.advance(5000)
  void voice.speak('b')
  await clock.settle()
  peer.send(bytes(2))
  expect(await audio.next()).toMatchObject({ value: bytes(2) })
})

it("the idle timeout applies with `spoken: 'close'`, too", async () => {
  const { wire, reading } = await streaming('a', { spoken: 'close', idleTimeoutMs: 1000 })
  await wire.clock.advance(1000)
  await expect(reading).rejects.toBeInstanceOf(TimeoutError)
})

it('leaving the loop takes effect immediately, even if the service is busy', async () => {
  const wire = wired()
  const reading = wire.speech.speakStream(stuck('a'), rule)
  const first = reading.next()
  await wire.clock.settle()
  wire.peer.send(bytes(1))
  await first
  wire.peer.stall()
  const beganMs = wire.clock.elapsedMs
  await reading.return()
  expect(wire.clock.elapsedMs).toBe(beganMs)
})

it('after an abort, the loop yields none of the audio that has arrived', async () => {
  const wire = wired()
  const controller = new AbortController()
  const reading = wire.speech.speakStream('a', { ...rule, signal: controller.signal })
  const first = reading.next()
  await wire.clock.settle()
  for (const value of [1, 2, 3]) wire.peer.send(bytes(value))
  expect((await first).value).toEqual(bytes(1))
  await wire.clock.settle()
  controller.abort(new Error('barge-in'))
  expect(await rejection(reading.next())).toMatchObject({ message: 'barge-in' })
})

it('an abort takes effect immediately, even if the service is busy', async () => {
  const controller = new AbortController()
  const { wire, reading } = await streaming(['a', 'b'], { signal: controller.signal })
  wire.peer.stall()
  const beganMs = wire.clock.elapsedMs
  controller.abort(new Error('barge-in'))
  await expect(reading).rejects.toThrow('barge-in')
  expect(wire.clock.elapsedMs).toBe(beganMs)
  expect(textsOf(wire.peer)).toEqual(['a'])
})

it("rejects 'close' as the end of a piece, because the connection stays open", async () => {
  const { speech } = wired()
  await expect(speech.synthesizer({ spoken: 'close' } as never)).rejects.toMatchObject({ option: 'spoken' })
})
