import { expect, it } from 'vitest'

import { rejection } from '../http/test-support/fixtures.ts'
import { type LinkEnd, type LinkOwner, NetworkFailure } from './link.ts'
import { bytes } from './test-support/radio.ts'
import { linkTo, PingingSocket, RecordingSocket } from './test-support/recording-socket.ts'

it.each([
  ['why', 'why'],
  [undefined, { message: 'The socket was closed before it opened.' }],
])('a link whose socket closes before it opened, with the error %s, fails to open', async (given, error) => {
  const { link } = linkTo(new RecordingSocket())
  link.closed(1006, '', given)
  const failure = await rejection(link.whenOpen)
  expect(failure).toBeInstanceOf(NetworkFailure)
  expect(failure).toMatchObject({ error })
})

it('a link keeps early messages and the end until it has an owner', () => {
  const { link } = linkTo(new RecordingSocket())
  link.message('one')
  link.closed(1011, 'secret reason', 'why')
  link.closed(1000, 'later')
  const seen: unknown[] = []
  link.own(ownerOf(seen))
  link.own(ownerOf(seen))
  const end: LinkEnd = { closeCode: 1011, reason: '[redacted] reason', error: 'why' }
  expect(seen).toEqual(['one', end, end])
})

it('R-58: a link knows when the server last showed a sign of life', async () => {
  const { link, clock } = linkTo(new PingingSocket())
  const at = async (work: () => void) => {
    await clock.advance(10)
    work()
    return link.lastLifeMs
  }
  expect(await at(() => link.opened())).toBe(10)
  expect(await at(() => link.message('x'))).toBe(20)
  expect(await at(() => link.pong(1))).toBe(30)
  expect(await at(() => link.send('x', false))).toBe(30)
  expect(await at(() => link.closed(1006, ''))).toBe(30)
  const { link: other, clock: otherClock } = linkTo(new PingingSocket())
  await otherClock.advance(10)
  other.closed(1000, '')
  expect(other.lastLifeMs).toBe(10)
})

it('R-59: a link is settled once the server has responded to a ping that followed every message', () => {
  const { link, socket } = linkTo(new PingingSocket())
  expect(link.canPing).toBe(true)
  expect(link.isSettled).toBe(true)
  link.markRest()
  expect(socket.calls).toEqual([])
  link.send(bytes(5), false)
  expect(link.isSettled).toBe(false)
  socket.bufferedBytes = 0
  expect(link.isSettled).toBe(false)
  link.markRest()
  link.markRest()
  expect(socket.calls).toEqual([bytes(5), ['ping', 1]])
  expect(link.isSettled).toBe(false)
  // Pongs of another number don't count.
  link.pong(0)
  link.pong(2)
  expect(link.confirmedMarks).toBe(0)
  expect(link.isSettled).toBe(false)
  link.pong(1)
  expect(link.confirmedMarks).toBe(1)
  expect(link.isSettled).toBe(true)
  // A ping of the liveness doesn't unsettle it, and a late pong of an earlier one changes nothing.
  link.mark()
  expect(link.isSettled).toBe(true)
  link.pong(2)
  link.pong(1)
  expect(link.confirmedMarks).toBe(2)
  socket.bufferedBytes = 1
  expect(link.isSettled).toBe(false)
})

it("R-59: a link whose host can't ping is settled once everything was written to the network", () => {
  const { link, socket } = linkTo(new RecordingSocket())
  expect(link.canPing).toBe(false)
  link.send('abc', false)
  expect(link.isSettled).toBe(false)
  socket.bufferedBytes = 0
  expect(link.isSettled).toBe(true)
})

it('R-59: an open link pings after every 262,144 bytes', () => {
  const { link, socket } = linkTo(new PingingSocket())
  link.send(bytes(262_143), false)
  expect(socket.calls).toHaveLength(1)
  link.send('x', true)
  expect(socket.calls.slice(1)).toEqual([
    ['x', 'notify'],
    ['ping', 1],
  ])
  link.sendIdle('k', false)
  link.send(bytes(262_144), false)
  expect(socket.calls.at(-1)).toEqual(['ping', 2])
  socket.open = false
  link.send(bytes(262_144), false)
  link.mark()
  expect(socket.calls).toHaveLength(7)
})

it('R-55: a dismissed link closes its socket, and terminates it if the server takes too long', async () => {
  const { link, socket, clock } = linkTo(new RecordingSocket())
  const seen: unknown[] = []
  link.own(ownerOf(seen))
  let gone = 0
  link.dismiss(1000, () => (gone += 1))
  expect(socket.calls).toEqual(['resume', ['close', 1000, '']])
  link.message('ignored')
  link.flushed()
  await clock.advance(999)
  expect(gone).toBe(0)
  await clock.advance(1)
  expect(socket.calls.at(-1)).toBe('terminate')
  expect(gone).toBe(1)
  link.closed(1000, '')
  expect(gone).toBe(1)
  expect(seen).toEqual([])
})

it('R-55: a dismissed link leaves no timer when the server closes in time, or has closed before', async () => {
  const { link, socket, clock } = linkTo(new RecordingSocket())
  let gone = 0
  link.dismiss(1000, () => (gone += 1))
  link.closed(1000, '')
  expect([gone, clock.timers]).toEqual([1, 0])
  const calls = socket.calls.length
  link.dismiss(1000, () => (gone += 1))
  expect([gone, clock.timers, socket.calls.length]).toEqual([2, 0, calls])
})

function ownerOf(seen: unknown[]): LinkOwner {
  return {
    onMessage: (data) => void seen.push(data),
    onFlushed: () => void seen.push('flushed'),
    onClosed: (end) => void seen.push(end),
  }
}
