import { expect, it } from 'vitest'

import { rejection } from '../http/test-support/fixtures.ts'
import { StreamPosition } from './reconnect.ts'
import type { SendingOptions } from './options.ts'
import { Outbox, SENT } from './outbox.ts'
import { bytes, gatedRadio, microtasks } from './test-support/radio.ts'
import { linkTo, RecordingSocket } from './test-support/recording-socket.ts'

it('R-52: the error of a rejected message says how much is waiting, and for what', async () => {
  const { outbox, link, socket } = opened({ maxBytes: 1000 }, false)
  void outbox.send(bytes(900))
  const gated = await rejection(outbox.send(bytes(100)))
  expect(gated).toMatchObject({ code: 'socket-overflow', operation: 'radio' })
  expect(String(gated)).toContain(
    'radio: the message was not sent, because `sending.maxBytes` is 1000, and with this message, 1128 bytes ' +
      'would be held back until `tune` is acknowledged.',
  )
  outbox.detach(undefined)
  outbox.attach(link, true)
  outbox.detach(undefined)
  expect(String(await rejection(outbox.send(bytes(100))))).toContain('until there is a connection')
  outbox.attach(link, true)
  socket.bufferedBytes = 1000
  expect(String(await rejection(outbox.send(bytes(1))))).toContain(
    'not sent, because `sending.maxBytes` is 1000, and 1000 bytes are waiting to be sent.',
  )
})

// A header has up to 14 bytes, a character up to 3. With its header, each of the buffered frames has half of 65,536 bytes.
it.each([
  ['a frame may fill the buffer', 1000, false, [985, 986, 'x'.repeat(328), 'x'.repeat(329)], [1, 3]],
  ['65,536 bytes were sent while something is buffered', 2 ** 20, true, Array(5).fill(32_754), [1, 3]],
  ['nothing is buffered and there is much room: never', 2 ** 20, false, Array(7).fill(30_000), []],
] as const)(
  'R-52: asks the socket for a notification when %s',
  (_, highBytes, isBuffered, frames: readonly (number | string)[], notified) => {
    const { outbox, socket } = opened({ highBytes })
    for (const frame of frames) {
      if (!isBuffered) socket.bufferedBytes = 0
      void outbox.send(typeof frame === 'string' ? frame : bytes(frame))
    }
    const asked = [...socket.calls.keys()].filter((index) => Array.isArray(socket.calls[index]))
    expect(asked).toEqual(notified)
  },
)

it('R-52: asks the socket for a notification of every frame while senders wait', () => {
  const { outbox, socket } = opened({ highBytes: 100, lowBytes: 1 })
  void outbox.send(bytes(100))
  socket.bufferedBytes = 50
  void outbox.send(bytes(1))
  expect(socket.calls[1]).toEqual([bytes(1), 'notify'])
})

it('R-52: senders wait from the high mark until the low mark', async () => {
  const { outbox, socket } = opened({ highBytes: 100, lowBytes: 20 })
  expect(outbox.send(bytes(99))).toBe(SENT)
  const settled: string[] = []
  void outbox.send(bytes(1)).then(() => settled.push('first'))
  // Below the mark again, but not yet at the low one.
  socket.bufferedBytes = 21
  outbox.onFlushed()
  void outbox.send('x').then(() => settled.push('second'))
  await microtasks()
  expect(settled).toEqual([])
  socket.bufferedBytes = 20
  outbox.onFlushed()
  await microtasks()
  expect(settled).toEqual(['first', 'second'])
  expect(outbox.send(bytes(1))).toBe(SENT)
  outbox.onFlushed()
})

it('R-52: rejects messages beyond `maxBytes`, of which the socket gets no part', async () => {
  const { outbox, socket } = opened({ highBytes: 100, maxBytes: 200 })
  socket.bufferedBytes = 199
  void outbox.send(bytes(1))
  expect(socket.bufferedBytes).toBe(200)
  expect(await rejection(outbox.send(bytes(1)))).toMatchObject({
    code: 'socket-overflow',
    operation: 'radio',
  })
  expect(socket.calls).toHaveLength(1)
})

it('R-52: limits the held bytes, but holds a single message of any size', async () => {
  const { outbox } = opened({ maxBytes: 1000 }, false)
  void outbox.send(bytes(5000))
  expect(await rejection(outbox.send(bytes(1)))).toMatchObject({ code: 'socket-overflow' })
  const { outbox: small } = opened({ maxBytes: 1000 }, false)
  // Toward the limit, each message counts 64 bytes more than it has.
  void small.send(bytes(436))
  void small.send(bytes(436))
  expect(small.bufferedBytes).toBe(872)
  expect(small.unsent).toEqual({ messages: 2, bytes: 872 })
  expect(await rejection(small.send(''))).toMatchObject({ code: 'socket-overflow' })
})

it('R-56: lets only gating messages pass a closed gate, and releases the others in order', async () => {
  const { outbox, socket } = opened({}, false)
  const written: string[] = []
  const held = [outbox.send('one'), outbox.send(bytes(2), { onWritten: () => written.push('two') })]
  expect(outbox.isHolding).toBe(true)
  expect(outbox.gateOpen).toBe(false)
  await outbox.send('gate', { gating: true, onWritten: () => written.push('gate') })
  expect(socket.calls).toEqual(['gate'])
  outbox.release()
  expect(socket.calls).toEqual(['gate'])
  expect(outbox.bufferedBytes).toBe(4 + 3 + 2)
  outbox.openGate()
  await Promise.all(held)
  expect(socket.calls).toEqual(['gate', 'one', bytes(2)])
  expect(written).toEqual(['gate', 'two'])
  expect(outbox.isHolding).toBe(false)
  expect(outbox.bufferedBytes).toBe(9)
})

it('holds messages while the socket is closing, and while disconnected', async () => {
  const { outbox, socket, link } = opened({})
  socket.open = false
  void outbox.send('one')
  void outbox.send('two')
  outbox.release()
  expect(socket.calls).toEqual([])
  outbox.detach(undefined)
  void outbox.send('three')
  outbox.release()
  socket.open = true
  outbox.attach(link, true)
  expect(socket.calls).toEqual([])
  outbox.release()
  expect(socket.calls).toEqual(['one', 'two', 'three'])
})

it('R-54: sends resent messages before all held ones', () => {
  const { outbox, socket, link } = opened({})
  outbox.detach(undefined)
  void outbox.send('held')
  outbox.attach(link, true)
  outbox.resend([
    { bytes: bytes(1), offeredMs: 0 },
    { bytes: bytes(2), offeredMs: 0 },
  ])
  expect(outbox.bufferedBytes).toBe(4 + 1 + 2)
  outbox.release()
  expect(socket.calls).toEqual([bytes(1), bytes(2), 'held'])
  expect(outbox.bufferedBytes).toBe(7)
})

it('R-51: sends a keep-alive only where it can be heard', async () => {
  const { outbox, socket, clock, link } = opened({ highBytes: 100 })
  await clock.advance(10)
  outbox.keepAlive('k')
  expect(socket.calls).toEqual(['k'])
  expect(outbox.lastActivityMs).toBe(10)
  expect(outbox.lastSentMs).toBe(0)
  await clock.advance(10)
  outbox.keepAlive('k')
  expect(socket.calls[1]).toEqual(['k', 'notify'])
  socket.calls.length = 0
  await clock.advance(10)
  socket.bufferedBytes = 100
  outbox.keepAlive('k')
  socket.bufferedBytes = 0
  socket.open = false
  outbox.keepAlive('k')
  socket.open = true
  outbox.attach(link, false)
  outbox.keepAlive('k')
  outbox.detach(undefined)
  outbox.keepAlive('k')
  expect(socket.calls).toEqual([])
})

it('knows when anything was last sent, and when audio was', async () => {
  const { outbox, clock, link } = opened({})
  await clock.advance(10)
  void outbox.send('text')
  expect([outbox.lastSentMs, outbox.lastActivityMs]).toEqual([10, 0])
  await clock.advance(10)
  void outbox.send(bytes(1))
  expect([outbox.lastSentMs, outbox.lastActivityMs]).toEqual([20, 20])
  await clock.advance(10)
  outbox.release()
  expect([outbox.lastSentMs, outbox.lastActivityMs]).toEqual([20, 20])
  outbox.detach(undefined)
  void outbox.send('held')
  await clock.advance(10)
  outbox.attach(link, true)
  expect([outbox.lastSentMs, outbox.lastActivityMs]).toEqual([20, 40])
  await clock.advance(10)
  outbox.release()
  expect([outbox.lastSentMs, outbox.lastActivityMs]).toEqual([50, 50])
})

it('R-55: counts the messages that may still be in the buffer of the socket', () => {
  const { outbox, socket } = opened({})
  for (const data of [bytes(5), 'abc', bytes(2)]) void outbox.send(data)
  expect(outbox.buffered).toEqual({ messages: 3, bytes: 10 })
  socket.bufferedBytes = 0
  void outbox.send(bytes(7))
  expect(outbox.buffered).toEqual({ messages: 1, bytes: 7 })
  socket.bufferedBytes = 3
  outbox.sample()
  expect(outbox.buffered).toEqual({ messages: 1, bytes: 3 })
  socket.bufferedBytes = 0
  outbox.onFlushed()
  expect(outbox.buffered).toEqual({ messages: 0, bytes: 0 })
  void outbox.send(bytes(7))
  outbox.drained()
  expect(outbox.unsent).toEqual({ messages: 0, bytes: 0 })
  socket.bufferedBytes = -1
  void outbox.send(bytes(1))
  expect(outbox.buffered).toEqual({ messages: 0, bytes: 0 })
})

it('R-54: reports the buffer of a lost connection, and lets waiting senders continue', async () => {
  const { outbox, position } = opened({ highBytes: 10 })
  const waiting = outbox.send(bytes(10))
  expect(outbox.detach(undefined)).toEqual({ messages: 1, bytes: 10 })
  await waiting
  void outbox.send(bytes(3))
  expect(position.beginConnection(true)).toMatchObject({ rejected: { messages: 0, bytes: 0 } })
})

it("R-54: with `sends: 'fail'`, rejects and counts messages that are held or sent without a connection", async () => {
  const { outbox, position, link, socket } = opened({}, false)
  const held = rejection(outbox.send(bytes(3)))
  const lost = new Error('lost')
  outbox.detach(lost)
  expect(await held).toBe(lost)
  expect(await rejection(outbox.send('four'))).toBe(lost)
  expect(position.beginConnection(false)).toMatchObject({ rejected: { messages: 2, bytes: 7 } })
  expect(outbox.unsent).toEqual({ messages: 1, bytes: 3 })
  outbox.attach(link, true)
  expect(outbox.send('five')).toBe(SENT)
  expect(socket.calls).toEqual(['five'])
})

it('R-54: counts messages that are rejected without a connection because too much is held', async () => {
  const { outbox, position } = opened({ maxBytes: 100 })
  outbox.detach(undefined)
  void outbox.send(bytes(30))
  await rejection(outbox.send(bytes(20)))
  expect(position.beginConnection(false)).toMatchObject({ rejected: { messages: 1, bytes: 20 } })
  const { outbox: gated, position: other } = opened({ maxBytes: 100 }, false)
  void gated.send(bytes(30))
  await rejection(gated.send(bytes(20)))
  expect(other.beginConnection(false)).toMatchObject({ rejected: { messages: 0, bytes: 0 } })
})

it('R-55: rejects messages after stop(), while the socket still sends its buffer', async () => {
  const { outbox, position } = opened({ highBytes: 10, lowBytes: 1 })
  const waiting = outbox.send(bytes(10))
  const closed = new Error('closed')
  outbox.stop(closed)
  expect(await rejection(outbox.send(bytes(1)))).toBe(closed)
  expect(await rejection(outbox.send('x', { gating: true }))).toBe(closed)
  expect(position.beginConnection(false)).toMatchObject({ rejected: { messages: 0, bytes: 0 } })
  outbox.end(closed)
  expect(await rejection(waiting)).toBe(closed)
  expect(outbox.unsent).toEqual({ messages: 1, bytes: 10 })
  expect(outbox.bufferedBytes).toBe(0)
})

it('R-55: counts everything that it rejected at the end as unsent', async () => {
  const { outbox } = opened({}, false)
  const held = [rejection(outbox.send(bytes(3))), rejection(outbox.send('four'))]
  outbox.stop('closed')
  expect(await Promise.all(held)).toEqual(['closed', 'closed'])
  expect(outbox.unsent).toEqual({ messages: 2, bytes: 7 })
  expect(outbox.isHolding).toBe(false)
  outbox.end('closed')
  expect(outbox.unsent).toEqual({ messages: 2, bytes: 7 })
})

function opened(limits: SendingOptions, gateOpen = true) {
  const { link, socket, clock } = linkTo(new RecordingSocket())
  const position = new StreamPosition(clock, 0)
  const { highBytes = 1000, lowBytes = 250, maxBytes = highBytes * 4 } = limits
  const outbox = new Outbox(clock, gatedRadio, { highBytes, lowBytes, maxBytes }, position)
  outbox.attach(link, gateOpen)
  return { outbox, socket, position, link, clock }
}
