import { expect, it } from 'vitest'

import { ConnectionError } from '../core/errors.ts'
import {
  closedError,
  codeOf,
  lossError,
  silenceError,
  stuckError,
  unacknowledgedError,
} from './connection.ts'

const unsent = { messages: 2, bytes: 30 }
const scrub = (text: string): string => text.replaceAll('secret', '[redacted]')

it.each([
  [1009, false, /too long \(close code 1009\)\. Send shorter messages, or raise `maxMessageBytes`/],
  [4321, false, /the server ended it \(close code 4321\)\. Open a new connection, or use `reconnect`\.$/],
  [1011, true, /\(close code 1011\)\. A new connection is being opened\. Send again what was in progress\.$/],
])('says what to do after a close with %s (replaced: %s)', (closeCode, replaced, message) => {
  const error = closedError('radio', { closeCode, reason: '' }, unsent, { scrub, replaced })
  expect(error).toMatchObject({ code: 'socket-closed', closeCode, reason: '', unsent, operation: 'radio' })
  expect(error.message).toMatch(message)
})

it('the error of a closed connection quotes the reason without secrets, and has the cause', () => {
  const cause = new Error('network')
  const end = { closeCode: 1008, reason: 'no secret', error: cause }
  const error = closedError('radio', end, unsent, { scrub, replaced: false })
  expect(error.message).toMatch(/The server says: "no \[redacted\]"\. Check/)
  expect(error).toMatchObject({ reason: 'no [redacted]', cause })
})

it.each([
  [unsent, 0, 'too early: up to 2 messages (30 bytes) were not sent. Use `finish()`'],
  [{ messages: 0, bytes: 0 }, 3, 'too early: 3 received messages were dropped. Use'],
  [unsent, 3, 'were not sent, and 3 received messages'],
])(
  'the error of a close that lost %j unsent and %i received messages lists them',
  (lost, dropped, message) => {
    const error = lossError('radio', lost, dropped)
    expect(error).toMatchObject({ code: 'socket-closed', unsent: lost, operation: 'radio' })
    expect(error.message).toContain(message)
  },
)

it.each([
  [5, 0, 'for a minute: 5 bytes were not sent. Keep'],
  [0, 6, 'for a minute: 6 received messages were not read. Keep'],
  [5, 6, '5 bytes were not sent, and 6 received messages'],
  [0, 0, "for a minute: the server hasn't received everything."],
])('the error of a finish() that waited for %i bytes and %i messages says so', (bytes, messages, message) => {
  expect(stuckError('radio', bytes, messages)).toMatchObject({ code: 'socket-closed', operation: 'radio' })
  expect(stuckError('radio', bytes, messages).message).toContain(message)
})

it.each([
  [0, 'was not acknowledged within 7 ms (`acknowledgeTimeoutMs`). The service sent no message in that time.'],
  [1, '`acknowledged` returned false for the only message that arrived in that time.'],
  [3, '`acknowledged` returned false for all 3 messages that arrived in that time.'],
])(
  'the error of a missing acknowledgement counts the %i messages that were something else',
  (seen, message) => {
    const error = unacknowledgedError('radio', 'tune', 7, seen)
    expect(error).toMatchObject({ code: 'timeout', limitMs: 7, elapsedMs: 7, operation: 'radio' })
    expect(error.message).toContain(message)
  },
)

it('the error of a silent connection rounds the time', () => {
  expect(silenceError('radio', 1.6)).toMatchObject({ closeCode: 1006, operation: 'radio' })
  expect(silenceError('radio', 1.6).message).toContain('for 2 ms')
})

it('events name errors by their code, and any other error or reason of an abort as `aborted`', () => {
  expect(codeOf(new ConnectionError('x', { phase: 'connect', sent: 'no' }))).toBe('connection')
  expect(codeOf(new Error('x'))).toBe('aborted')
  expect(codeOf(undefined)).toBe('aborted')
})
