import { describe, expect, it } from 'vitest'

import { ConnectionError } from '../core/errors.ts'
import {
  closedError,
  closingError,
  codeOf,
  lossError,
  silenceError,
  stuckError,
  unacknowledgedError,
  unreadError,
} from './connection.ts'

const unsent = { messages: 2, bytes: 30 }
const scrub = (text: string): string => text.replaceAll('secret', '[redacted]')

describe('the error of a connection that ended', () => {
  it.each([
    [1000, /the client had not finished \(close code 1000\)\. The rest of the stream is missing.*properEnd/],
    [1005, /the client had not finished \(close code 1005\)\. The rest of the stream is missing.*properEnd/],
    [1006, /without a closing handshake \(close code 1006\)\. Open a new connection, or use reconnect\.$/],
    [1008, /the server rejected a message \(close code 1008\)\. Check what was sent: /],
    [1009, /too long \(close code 1009\)\. Send shorter messages, or raise maxMessageBytes/],
    [1011, /the server failed \(close code 1011\)\. Open a new connection, or use reconnect\.$/],
    [4321, /the server ended it \(close code 4321\)\. Open a new connection, or use reconnect\.$/],
  ])('says what %s means, and what to do', (closeCode, message) => {
    const error = closedError('radio', { closeCode, reason: '' }, unsent, { scrub, replaced: false })
    expect(error).toMatchObject({ code: 'socket-closed', closeCode, reason: '', unsent, operation: 'radio' })
    expect(error.message).toMatch(message)
  })

  it('quotes the reason without secrets, and names the cause', () => {
    const cause = new Error('network')
    const end = { closeCode: 1008, reason: 'no secret', error: cause }
    const error = closedError('radio', end, unsent, { scrub, replaced: false })
    expect(error.message).toMatch(/The server says: "no \[redacted\]"\. Check/)
    expect(error).toMatchObject({ reason: 'no [redacted]', cause })
  })

  it.each([1000, 1006, 1011])('says after %s that a new connection is being opened', (closeCode) => {
    const error = closedError('radio', { closeCode, reason: '' }, unsent, { scrub, replaced: true })
    expect(error.message).toMatch(/\)\. A new connection is being opened; send again what was under way\.$/)
  })
})

describe('other errors of a connection', () => {
  it('list what was lost', () => {
    const nothing = { messages: 0, bytes: 0 }
    expect(lossError('radio', unsent, 0).message).toContain(
      'too early: up to 2 messages (30 bytes) were not sent. Use finish()',
    )
    expect(lossError('radio', nothing, 3).message).toContain(
      'too early: 3 received messages were dropped. Use',
    )
    expect(lossError('radio', unsent, 3).message).toContain('were not sent, and 3 received messages')
    expect(lossError('radio', unsent, 3)).toMatchObject({ code: 'socket-closed', unsent })
  })

  it('list what finish() waited for', () => {
    expect(stuckError('radio', 5, 0).message).toContain('for a minute: 5 bytes have not left. Keep')
    expect(stuckError('radio', 0, 6).message).toContain('minute: 6 received messages were not read. Keep')
    expect(stuckError('radio', 5, 6).message).toContain('5 bytes have not left, and 6 received messages')
    expect(stuckError('radio', 0, 0).message).toContain("minute: the server hasn't taken everything.")
  })

  it('count the messages that were not the acknowledgement', () => {
    const said = (seen: number) => unacknowledgedError('radio', 'tune', 7, seen).message
    expect(said(0)).toContain(
      'radio: the message `tune` was not acknowledged within 7 ms (acknowledgeTimeoutMs). No message has arrived since.',
    )
    expect(said(1)).toContain('`acknowledged` returned false for the only message that has arrived since.')
    expect(said(3)).toContain('`acknowledged` returned false for all 3 messages that have arrived since.')
  })

  it('carry code and channel', () => {
    expect(closingError('radio')).toMatchObject({ code: 'socket-closed', operation: 'radio' })
    expect(unreadError('radio', 1, 2)).toMatchObject({ code: 'socket-overflow', operation: 'radio' })
    expect(silenceError('radio', 1.6)).toMatchObject({ closeCode: 1006, operation: 'radio' })
    expect(silenceError('radio', 1.6).message).toContain('for 2 ms')
    expect(stuckError('radio', 0, 0)).toMatchObject({ code: 'socket-closed', operation: 'radio' })
    expect(lossError('radio', unsent, 0)).toMatchObject({ operation: 'radio' })
    expect(unacknowledgedError('radio', 'tune', 7, 1)).toMatchObject({
      code: 'timeout',
      limitMs: 7,
      elapsedMs: 7,
      operation: 'radio',
    })
  })

  it('appear in events by their code; any other error, or the reason of an abort, appears as `aborted`', () => {
    expect(codeOf(new ConnectionError('x', { phase: 'connect', sent: 'no' }))).toBe('connection')
    expect(codeOf(new Error('x'))).toBe('aborted')
    expect(codeOf(undefined)).toBe('aborted')
  })
})
