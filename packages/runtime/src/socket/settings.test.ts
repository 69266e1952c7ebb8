import { expect, it } from 'vitest'

import type { OptionsError } from '../core/errors.ts'
import { coreOf } from '../http/client-state.ts'
import { checkClose, checkFinish, checkRequest, settingsOf } from './settings.ts'
import { gatedRadio, radio, studio } from './test-support/radio.ts'

it('fills in the defaults of a connection', () => {
  const { core, settings } = settled({})
  const { properEnd, ...data } = settings
  expect(data).toEqual({
    query: undefined,
    extraQuery: undefined,
    extraHeaders: undefined,
    signals: [core.closing.signal],
    handshakeTimeoutMs: 30_000,
    closeTimeoutMs: 5_000,
    validate: 'report',
    compression: false,
    maxMessageBytes: 16_777_216,
    sending: { highBytes: 1_048_576, lowBytes: 262_144, maxBytes: 4_194_304 },
    receiving: { whenFull: 'pressure', maxBytes: 1_048_576, maxMessages: 4_096 },
    acknowledged: undefined,
    acknowledgeTimeoutMs: 10_000,
    finalError: undefined,
    reconnect: undefined,
    liveness: { pingIntervalMs: 10_000, pongTimeoutMs: 10_000, inactivityMs: Infinity },
    rebase: undefined,
    connectionLimit: undefined,
    weight: 1,
    connectionLimitTimeoutMs: Infinity,
    socketFactory: undefined,
  })
  expect(properEnd({ closeCode: 1000, reason: '' })).toBe(false)
})

it('fills in the defaults of reconnecting', () => {
  expect(settled({ reconnect: false }).settings.reconnect).toBeUndefined()
  for (const reconnect of [true, {}]) {
    const { when, heard, ...data } = settled({ reconnect }).settings.reconnect!
    expect(data).toEqual({
      deadlineMs: 120_000,
      backoff: { baseMs: 500, capMs: 20_000 },
      sends: 'wait',
      resendBytes: 0,
    })
    expect(when({ closeCode: 1000, reason: '' })).toBe(true)
    expect(heard({ type: 'unknown', message: undefined, data: 1 })).toBe(true)
  }
})

it('uses the options of reconnecting and liveness as passed, and turns liveness off', () => {
  const reconnect = { deadline: '3s', baseMs: 0, capMs: 1, sends: 'fail', resendBytes: 4 } as const
  const liveness = { pingIntervalMs: 1, pongTimeoutMs: 2, inactivityMs: 3 }
  const { settings } = settled({ reconnect, liveness })
  expect(settings).toMatchObject({
    reconnect: { deadlineMs: 3_000, backoff: { baseMs: 0, capMs: 1 }, sends: 'fail', resendBytes: 4 },
    liveness,
  })
  expect(settled({ liveness: false }).settings.liveness).toEqual({
    pingIntervalMs: Infinity,
    pongTimeoutMs: Infinity,
    inactivityMs: Infinity,
  })
})

it.each<[string, object]>([
  ['reconect', { reconect: true }],
  ['extra.body', { extra: { body: 1 } }],
  ['sending.high', { sending: { high: 1 } }],
  ['receiving.max', { receiving: { max: 1 } }],
  ['reconnect.base', { reconnect: { base: 1 } }],
  ['liveness.ping', { liveness: { ping: 1 } }],
  ['connectionLimit', { connectionLimit: {} }],
  ['signal', { signal: {} }],
  ['handshakeTimeoutMs', { handshakeTimeoutMs: 0 }],
  ['closeTimeoutMs', { closeTimeoutMs: 0 }],
  ['validate', { validate: 'some' }],
  ['maxMessageBytes', { maxMessageBytes: 0 }],
  ['maxMessageBytes', { maxMessageBytes: 1.5 }],
  ['sending.highBytes', { sending: { highBytes: 0 } }],
  ['sending.highBytes', { sending: { highBytes: 10.5 } }],
  ['sending.lowBytes', { sending: { lowBytes: 0 } }],
  ['sending.maxBytes', { sending: { maxBytes: 0 } }],
  ['sending', { sending: { lowBytes: 11, highBytes: 10 } }],
  ['sending', { sending: { highBytes: 11, maxBytes: 10 } }],
  ['receiving.whenFull', { receiving: { whenFull: 'drop' } }],
  ['receiving.maxBytes', { receiving: { maxBytes: 0.5 } }],
  ['receiving.maxMessages', { receiving: { maxMessages: 0 } }],
  ['receiving.maxMessages', { receiving: { maxMessages: 1.5 } }],
  ['acknowledged', { acknowledged: 'Tuned' }],
  ['acknowledgeTimeoutMs', { acknowledgeTimeoutMs: 0 }],
  ['finalError', { finalError: 1 }],
  ['properEnd', { properEnd: 1000 }],
  ['reconnect.deadline', { reconnect: { deadline: 'soon' } }],
  ['reconnect.baseMs', { reconnect: { baseMs: -1 } }],
  ['reconnect.capMs', { reconnect: { capMs: -1 } }],
  ['reconnect.sends', { reconnect: { sends: 'drop' } }],
  ['reconnect.when', { reconnect: { when: 1 } }],
  ['reconnect.resendBytes', { reconnect: { resendBytes: -1 } }],
  ['reconnect.resendBytes', { reconnect: { resendBytes: 0.5 } }],
  ['reconnect.heard', { reconnect: { heard: 1 } }],
  ['liveness.pingIntervalMs', { liveness: { pingIntervalMs: 0 } }],
  ['liveness.pongTimeoutMs', { liveness: { pongTimeoutMs: 0 } }],
  ['liveness.inactivityMs', { liveness: { inactivityMs: 0 } }],
  ['rebase', { rebase: 1 }],
  ['connectionLimitTimeoutMs', { connectionLimitTimeoutMs: -1 }],
  ['socketFactory', { socketFactory: 1 }],
])('rejects `%s` in %j', (option, options) => {
  expect(thrown(() => settled(options))).toBe(option)
})

it('requires `acknowledged` for a channel with a gate', () => {
  expect(thrown(() => settled({}, gatedRadio))).toBe('acknowledged')
  expect(settled({ acknowledged: () => true }, gatedRadio).settings.acknowledgeTimeoutMs).toBe(10_000)
})

it.each([1000, 3000, 4999])('accepts the close code %s', (code) => {
  expect(checkClose({ code })).toEqual({ code, reason: '' })
})

it.each([999, 1001, 1005, 2999, 5000, 3000.5, '3000'])('rejects the close code %j', (code) => {
  expect(thrown(() => checkClose({ code: code as number }))).toBe('code')
})

it('limits the reason of a close to 123 bytes, and has defaults for all options of finish()', () => {
  expect(checkFinish({})).toEqual({ code: 1000, reason: '', quietMs: 5_000 })
  const reason = 'x'.repeat(123)
  expect(checkClose({ reason })).toEqual({ code: 1000, reason })
  expect(thrown(() => checkClose({ reason: `${reason}x` }))).toBe('reason')
  expect(thrown(() => checkClose({ reason: 'ä'.repeat(62) }))).toBe('reason')
  expect(thrown(() => checkClose({ reason: 5 as never }))).toBe('reason')
})

it('rejects unknown options of close() and finish()', () => {
  expect(thrown(() => checkClose({ quietMs: 1 } as object))).toBe('quietMs')
  expect(thrown(() => checkFinish({ quiet: 1 } as object))).toBe('quiet')
  expect(() => checkFinish({ quiet: 1 } as object)).toThrow('quietMs')
  expect(thrown(() => checkFinish({ quietMs: -1 }))).toBe('quietMs')
})

it('checks the options of a request', () => {
  const { signal } = new AbortController()
  expect(checkRequest({})).toEqual({ signal: undefined, timeoutMs: 30_000 })
  expect(checkRequest({ signal, timeoutMs: 1 })).toEqual({ signal, timeoutMs: 1 })
  expect(thrown(() => checkRequest({ timeoutMs: 0 }))).toBe('timeoutMs')
  expect(thrown(() => checkRequest({ signal: {} as never }))).toBe('signal')
  expect(thrown(() => checkRequest({ deadline: 1 } as object))).toBe('deadline')
})

function settled(options: object, channel = radio) {
  const core = coreOf(studio().client, 'radio')
  return { core, settings: settingsOf(core, channel, options) }
}

/** The name of the option that is rejected. */
function thrown(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return (error as OptionsError).option
  }
  return expect.unreachable('nothing was thrown')
}
