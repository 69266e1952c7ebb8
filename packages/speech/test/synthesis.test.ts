import { virtualClock } from '@concord/runtime/testing'
import { SocketError } from '@concord/runtime'
import { expect, it } from 'vitest'
import * as z from 'zod'

import { CharacterRateError } from '../src/socket-errors.ts'
import type { OtherEvent, ServerEvent } from '../src/events.ts'
import { toSynthesisSettings } from '../src/synthesis.ts'
import { Synthesizer } from '../src/synthesizer.ts'
import { all, bytes, jsonOf, rejection, replying, rule, streaming, textsOf, wired } from './support.ts'

it('speakStream() yields audio as it arrives, until `spoken` recognizes the end', async () => {
  const wire = serving()
  const options = { ...rule, query: { voice: 'x', rate: 1 }, extra: { query: { rate: 2 } } }
  expect(await all(wire.speech.speakStream('hello', options))).toEqual([bytes(5, 0), bytes(5, 1)])
  expect(wire.peer.url.href).toBe('ws://speech.test/prefix/v1/speak?voice=x&rate=2')
  expect(jsonOf(wire.peer)).toEqual([{ text: 'hello' }])
  expect(wire.peer.closedBy).toMatchObject({ code: 1000 })
})

it('speakStream() opens no connection before the loop begins', async () => {
  const wire = serving()
  wire.speech.speakStream('hello', rule)
  await wire.clock.settle()
  expect(wire.sockets.requests).toHaveLength(0)
})

it('speakStream() sends text as it arrives, one piece at a time and in order, and skips empty pieces', async () => {
  const wire = serving()
  async function* text() {
    yield 'a'
    yield ''
    yield 'bb'
    yield ' '
  }
  const audio = await all(wire.speech.speakStream(text(), rule))
  expect(audio.map(([length]) => length)).toEqual([1, 1, 2, 2, 1, 1])
  expect(textsOf(wire.peer)).toEqual(['a', 'bb', ' '])
})

it("adds the caller's fields to each message, but never another text", async () => {
  const wire = serving()
  await all(wire.speech.speakStream('a', { ...rule, fields: { type: 'Speak', text: 'no' } }))
  expect(jsonOf(wire.peer)).toEqual([{ type: 'Speak', text: 'a' }])
})

it('speakStream() yields nothing if there is no text', async () => {
  const wire = serving()
  expect(await all(wire.speech.speakStream(['', ''], rule))).toEqual([])
  expect(wire.peer.received).toEqual([])
})

it("speakStream() passes other events to `onEvent`, typed by the caller's schema", async () => {
  const wire = replying((peer) => {
    peer.send('{"kind":"started"}')
    peer.send('text')
    peer.send('{"end":true}')
  })
  const events: (ServerEvent<{ kind: string }> | OtherEvent)[] = []
  const schema = z.object({ kind: z.string() })
  await all(wire.speech.speakStream('a', { ...rule, schema, onEvent: (event) => events.push(event) }))
  expect(events).toMatchObject([
    { type: 'event', data: { kind: 'started' } },
    { type: 'other', data: 'text' },
    { type: 'other', data: { end: true } },
  ])
})

it('leaving the loop closes the connection and ends the source', async () => {
  const wire = wired()
  let ended = false
  async function* text() {
    try {
      yield 'a'
      yield 'b'
      yield 'c'
    } finally {
      ended = true
    }
  }
  const reading = wire.speech.speakStream(text(), rule)
  const first = reading.next()
  await wire.clock.settle()
  wire.peer.send(bytes(1))
  await first
  await reading.return()
  await wire.clock.settle()
  expect(wire.peer.closedBy).toMatchObject({ code: 1000 })
  expect(ended).toBe(true)
})

it("with `spoken: 'close'`, the loop ends when the service closes the connection after the text was sent", async () => {
  const { wire, reading } = await streaming(['a', 'b'], { spoken: 'close', afterText: { type: 'Done' } })
  expect(jsonOf(wire.peer)).toEqual([{ text: 'a' }, { text: 'b' }, { type: 'Done' }])
  wire.peer.send(bytes(1))
  wire.peer.send('{"any":1}')
  wire.peer.close(1000)
  expect(await reading).toEqual([bytes(1)])
  const none = await streaming([], { spoken: 'close' })
  expect(none.wire.peer.closedBy).toBeUndefined()
  none.wire.peer.close(1000)
  expect(await none.reading).toEqual([])
})

it('the loop ends after the last spoken piece, if a source ends late', async () => {
  const wire = serving()
  const late = Promise.withResolvers<void>()
  async function* text() {
    yield 'a'
    await late.promise
  }
  const reading = all(wire.speech.speakStream(text(), rule))
  await wire.clock.settle()
  expect(wire.peer.closedBy).toBeUndefined()
  late.resolve()
  expect(await reading).toHaveLength(2)
  expect(wire.peer.closedBy).toMatchObject({ code: 1000 })
})

it('an error of the text source ends the loop and closes the connection', async () => {
  const wire = serving()
  async function* text() {
    yield 'a'
    throw new Error('no more words')
  }
  expect(await rejection(all(wire.speech.speakStream(text(), rule)))).toMatchObject({
    message: 'no more words',
  })
  expect(wire.peer.closedBy).toMatchObject({ code: 1000 })
})

const limit = '{"any":{"where":"DATA-0001"}}'

it('a rate limit during the audio of a piece delays the next piece', async () => {
  const { wire, reading } = await streaming(['a', 'b'])
  wire.peer.send(bytes(1))
  wire.peer.send(limit)
  wire.peer.send('{"end":true}')
  await wire.clock.settle()
  expect(textsOf(wire.peer)).toEqual(['a'])
  await wire.clock.advance(750)
  expect(textsOf(wire.peer)).toEqual(['a', 'b'])
  wire.peer.send('{"end":true}')
  expect(await reading).toEqual([bytes(1)])
})

it('a rate limit that is reported twice for one piece resends it once', async () => {
  const { wire, reading } = await streaming(['a'])
  wire.peer.send(limit)
  wire.peer.send(limit)
  await wire.clock.settle()
  // The second one makes the wait longer.
  await wire.clock.advance(1499)
  expect(textsOf(wire.peer)).toEqual(['a'])
  await wire.clock.advance(1)
  expect(textsOf(wire.peer)).toEqual(['a', 'a'])
  await wire.clock.advance(20_000)
  expect(textsOf(wire.peer)).toEqual(['a', 'a'])
  wire.peer.send(bytes(1))
  wire.peer.send('{"end":true}')
  expect(await reading).toEqual([bytes(1)])
})

it('a rate limit ends the synthesis when several pieces are in flight', async () => {
  const { wire, reading } = await streaming(['a', 'b'], { pace: { ahead: 2 } })
  wire.peer.send(limit)
  expect(await rejection(reading)).toMatchObject({
    code: 'socket-closed',
    reason: '',
    unspoken: ['a', 'b'],
    operation: 'speechStream',
    message: expect.stringContaining('Several pieces are in flight') as unknown,
  })
  expect(textsOf(wire.peer)).toEqual(['a', 'b'])
})

it('a rate limit also reports the piece that was taken from the source, but not sent', async () => {
  const taken: string[] = []
  function* source() {
    for (const text of ['a', 'b', 'c']) {
      taken.push(text)
      yield text
    }
  }
  const { wire, reading } = await streaming(source(), { pace: { ahead: 1, attempts: 1 } })
  expect(textsOf(wire.peer)).toEqual(['a'])
  wire.peer.send(limit)
  expect(await rejection(reading)).toMatchObject({
    unspoken: taken,
    message: expect.stringContaining('The client made 1 attempt to send the text.') as unknown,
  })
  expect(taken).toEqual(['a', 'b'])
})

it('`pace.limited` decides which events report the rate limit', async () => {
  const limitedBy = (event: unknown) => event === 'slower'
  const { wire, reading } = await streaming(['a'], { pace: { limited: limitedBy } })
  wire.peer.send('"slower"')
  await wire.clock.advance(1000)
  expect(textsOf(wire.peer)).toEqual(['a', 'a'])
  wire.peer.send('{"end":true}')
  await reading
})

it.each([1000, 1005, 1011])(
  'R-58: a close with %s after everything was spoken loses no audio',
  async (code) => {
    const { wire, reading } = await streaming(['a'])
    wire.peer.send(bytes(1))
    wire.peer.send('{"end":true}')
    wire.peer.close(code)
    expect(await reading).toEqual([bytes(1)])
  },
)

it.each([1000, 1005])('R-58: a close with %s while text is being spoken is an error', async (code) => {
  const { wire, reading } = await streaming(['a'])
  wire.peer.send(bytes(1))
  wire.peer.close(code, 'later')
  const error = await rejection(reading)
  expect(error).toMatchObject({ code: 'socket-closed', closeCode: code, reason: 'later' })
  expect(String(error)).toContain('The audio is incomplete. Send the rest of the text on a new connection.')
})

it("R-58: a close ends an idle synthesizer with an error that doesn't claim that audio is missing", async () => {
  const wire = wired()
  const voice = await wire.speech.synthesizer(rule)
  const spoken = voice.speak('a')
  await wire.clock.settle()
  wire.peer.send('{"end":true}')
  await spoken
  wire.peer.close(1000)
  const error = await rejection(voice[Symbol.asyncIterator]().next())
  expect(error).toMatchObject({ code: 'socket-closed', closeCode: 1000, operation: 'speechStream' })
  expect(String(error)).toContain('All text had been spoken')
})

it("R-58: the error of a close doesn't count interrupted and failed text as missing", async () => {
  const wire = wired()
  const voice = await wire.speech.synthesizer(rule)
  void voice.speak('a')
  await wire.clock.settle()
  await voice.interrupt()
  wire.peer.send('{"end":true}')
  async function* failing(): AsyncGenerator<string> {
    yield ''
    throw new Error('no words')
  }
  await rejection(voice.speak(failing()))
  wire.peer.close(1000)
  const error = await rejection(voice[Symbol.asyncIterator]().next())
  expect(String(error)).toContain('All text had been spoken')
})

it("R-58: a loss right after the last piece was spoken isn't an error", async () => {
  const clock = virtualClock({ autoAdvance: false })
  const sent = Promise.withResolvers<void>()
  const lost = new SocketError('socket-closed', 'lost', { closeCode: 1006 })
  async function* events() {
    await sent.promise
    await clock.settle()
    yield { type: 'message', message: 'serverEvent', data: { end: true } }
    throw lost
  }
  const connection = {
    [Symbol.asyncIterator]: () => events(),
    send: async () => sent.resolve(),
    close: async () => undefined,
  } as never
  const voice = new Synthesizer(connection, toSynthesisSettings(rule), { clock, random: () => 0 })
  voice.speakLast('a')
  expect(await all(voice)).toEqual([])
})

it.each([1000, 1008])('a close with %s and DATA-0001 is a CharacterRateError', async (code) => {
  const { wire, reading } = await streaming(['a'])
  wire.peer.close(code, 'DATA-0001')
  const error = await rejection(reading)
  expect(error).toBeInstanceOf(CharacterRateError)
  expect(error).toMatchObject({
    closeCode: code,
    reason: 'DATA-0001',
    unspoken: ['a'],
    operation: 'speechStream',
    cause: { closeCode: code },
  })
})

/** Returns a service that speaks each message in two chunks, which encode the length of its text. */
function serving() {
  return replying((peer, data) => {
    const { text } = JSON.parse(data) as { text: string }
    peer.send(bytes(text.length, 0))
    peer.send(bytes(text.length, 1))
    peer.send('{"end":true}')
  })
}
