import { SocketError, type StandardSchema } from '@concord/runtime'
import { expect, it } from 'vitest'
import * as z from 'zod'

import { speechCode } from '../src/errors.ts'
import { CharacterRateError, EncodingMismatchError, finalSocketError } from '../src/socket-errors.ts'
import { presets } from '../src/presets.ts'
import { conform } from '../src/schema.ts'
import { toConnectOptions } from '../src/live-options.ts'
import { checkText, toSynthesisSettings } from '../src/synthesis.ts'
import { rejection } from './support.ts'

const spoken = (): boolean => true

it('fills in the defaults of synthesis', () => {
  const { pace, connect, ...settings } = toSynthesisSettings({ spoken })
  expect(settings).toEqual({
    spoken,
    afterText: undefined,
    flush: undefined,
    clear: undefined,
    idleTimeoutMs: 30_000,
    maxBufferedBytes: 8_388_608,
    fields: {},
    schema: undefined,
    onEvent: undefined,
    signal: undefined,
  })
  const { limited, ...numbers } = pace
  expect(numbers).toEqual({ ahead: 1, baseMs: 1_000, capMs: 20_000, attempts: 10 })
  expect(limited({ at: 'DATA-0001' })).toBe(true)
  expect(limited({ at: 'DATA-0000' })).toBe(false)
  const { properEnd, ...rest } = connect
  expect(rest).toEqual({ extra: { query: {} } })
  const ends = [1000, 1001, 1005, 1006].map((closeCode) => properEnd?.({ closeCode, reason: '' }))
  expect(ends).toEqual([true, false, true, false])
})

it("with `spoken: 'close'`, all text is sent without waiting", () => {
  expect(toSynthesisSettings({ spoken: 'close', pace: { ahead: 3 } }).pace.ahead).toBe(Infinity)
})

it.each<[string, object | null | string]>([
  ['options', null],
  ['options', 'text'],
  ['spoken', {}],
  ['spoken', { spoken: 'end' }],
  ['timestamps', { spoken, timestamps: { at: ['/a'] } }],
  ['reconnect', { spoken, reconnect: false }],
  ['pace.head', { spoken, pace: { head: 1 } }],
  ['query', { spoken, query: null }],
  ['query', { spoken, query: 'model=aura' }],
  ['fields', { spoken, fields: [] }],
  ['idleTimeoutMs', { spoken, idleTimeoutMs: 0 }],
  ['maxBufferedBytes', { spoken, maxBufferedBytes: -1 }],
  ['onEvent', { spoken, onEvent: {} }],
  ['pace.ahead', { spoken, pace: { ahead: 1.5 } }],
  ['pace.ahead', { spoken, pace: { ahead: 0 } }],
  ['pace.limited', { spoken, pace: { limited: 1 } }],
  ['pace.baseMs', { spoken, pace: { baseMs: 0 } }],
  ['pace.capMs', { spoken, pace: { capMs: 0 } }],
  ['pace.attempts', { spoken, pace: { attempts: 0 } }],
  ['pace.attempts', { spoken, pace: { attempts: 1.5 } }],
  ['clear', { spoken, clear: { cleared: spoken } }],
  ['clear', { spoken, clear: { message: 1 } }],
  ['clear.event', { spoken, clear: { message: 1, cleared: spoken, event: 1 } }],
  ['finished', { spoken, finished: true }],
])('synthesis rejects `%s` in %j', (option, options) => {
  expect(() => toSynthesisSettings(options as never)).toThrow(expect.objectContaining({ option }))
})

it('accepts a string, or anything that can be iterated, as text', () => {
  for (const text of ['', [], new Set(['a']), (async function* () {})()]) checkText(text)
  for (const text of [undefined, null, 7, {}, () => []])
    expect(() => checkText(text)).toThrow(expect.objectContaining({ option: 'text' }))
})

it('passes the options of a WebSocket to the runtime, except undefined ones and those of the flow', () => {
  for (const weight of [undefined, 0.5]) {
    const options = { closeTimeoutMs: 1, weight, schema: z.string(), containerized: true } as never
    expect(toConnectOptions(options, { containerized: true })).toStrictEqual({
      closeTimeoutMs: 1,
      ...(weight && { weight }),
    })
  }
})

it.each<[string, object]>([
  ['weight', { weight: 0 }],
  ['weight', { weight: Infinity }],
  ['weight', { weight: '1' }],
  ['schema', { schema: null }],
  ['schema', { schema: { '~standard': {} } }],
  ['containerized', { containerized: true }],
  ['connectionLimit', { connectionLimit: 1 }],
  ['timestamps.at', { timestamps: { at: '/a' } }],
])('a WebSocket rejects `%s` in %j', (option, options) => {
  expect(() => toConnectOptions(options as never)).toThrow(expect.objectContaining({ option }))
})

const nested = (depth: number): unknown => (depth === 0 ? 'DATA-0001' : [nested(depth - 1)])

it('the search for a code looks nine levels deep', () => {
  expect(speechCode(nested(9))).toBe('DATA-0001')
  expect(speechCode(nested(10))).toBeUndefined()
})

it('the search for a code looks at 10,000 values', () => {
  const values = (count: number) => [...Array.from({ length: count }, () => 0), 'DATA-0001']
  expect(speechCode(values(9_999))).toBe('DATA-0001')
  expect(speechCode(values(10_000))).toBeUndefined()
  // Audio has no code, however long it is.
  expect(speechCode([new Uint8Array(10_000), 'DATA-0001'])).toBe('DATA-0001')
})

it('the search for a code looks at the reason and the body of an error, and at no other property', () => {
  const reason = new SocketError('socket-closed', 'DATA-0000', { closeCode: 1008, reason: 'DATA-0001' })
  expect(speechCode(reason)).toBe('DATA-0001')
  const denial = { status: 400, headers: () => new Headers(), body: 'DATA-0001', retryAfterMs: undefined }
  expect(speechCode(new SocketError('socket-denied', 'x', { denial }))).toBe('DATA-0001')
  expect(speechCode(new SocketError('socket-closed', 'DATA-0000', {}))).toBeUndefined()
  expect(speechCode({ error: reason })).toBe('DATA-0001')
})

it.each([
  ['DATA-0000', 'DATA-0000'],
  [['DATA-0000', 'DATA-0001'], 'DATA-0000'],
  [{ a: 1, b: null, c: [{ d: 'error DATA-0001!' }] }, 'DATA-0001'],
  ['DATA-0002', undefined],
  ['XDATA-00001', undefined],
  [undefined, undefined],
])('the first code in %j is %s', (value, code) => {
  expect(speechCode(value)).toBe(code)
})

const lost = (reason: string) => new SocketError('socket-closed', 'x', { closeCode: 1008, reason })
const event = (data: unknown) => ({ type: 'unknown', message: undefined, data }) as const

it('DATA-0000 in an event or a close reason ends a connection for good', () => {
  expect(finalSocketError(event({ a: 'DATA-0000' }), 'agent')).toBeInstanceOf(EncodingMismatchError)
  const cause = lost('DATA-0000')
  const error = finalSocketError(cause, 'agent')
  expect(error).toBeInstanceOf(EncodingMismatchError)
  expect(error).toMatchObject({ closeCode: 1008, reason: 'DATA-0000', operation: 'agent', cause })
})

it("other events and errors don't end a connection for good", () => {
  const mismatch = new EncodingMismatchError('socket-closed', 'DATA-0000', { reason: 'DATA-0000' })
  const rate = new CharacterRateError('DATA-0000', { reason: 'DATA-0000', unspoken: [] })
  for (const cause of [mismatch, rate, lost('DATA-0001'), lost(''), event('DATA-0001'), event(7)])
    expect(finalSocketError(cause, 'agent')).toBeUndefined()
  const gap = { type: 'reconnected', message: undefined, data: { reason: 'DATA-0000' } } as never
  const audio = { type: 'message', message: 'audio', data: 'DATA-0000' } as never
  expect(finalSocketError(gap, 'agent')).toBeUndefined()
  expect(finalSocketError(audio, 'agent')).toBeUndefined()
})

it("the error of the caller's schema names the first five issues", async () => {
  const shape = Object.fromEntries([...'abcdefg'].map((name) => [name, z.string()]))
  const error = await rejection(conform(z.object(shape) as StandardSchema, {}, 'models'))
  expect(error).toMatchObject({ code: 'contract-drift', data: {}, operation: 'models' })
  expect((error as { issues: unknown[] }).issues).toHaveLength(7)
  expect(String(error)).toMatch(/\/a: .*; \/b: .*; \/e: [^/]*\. Change the schema/)
  expect(String(error)).not.toContain('/f:')
  const whole = await rejection(conform(z.string() as StandardSchema, 7, 'models'))
  expect(String(whole)).toContain('(the value itself): ')
})

it.each([
  [['a', { key: 'b' }, 0], '/a/b/0'],
  [undefined, ''],
])('a schema of another library can name the place of an issue as %j', async (path, pointer) => {
  const issues = [{ message: 'is wrong', ...(path && { path }) }]
  const schema: StandardSchema = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } }
  expect(await rejection(conform(schema, {}, 'models'))).toMatchObject({
    issues: [{ path: pointer, reason: 'is wrong' }],
  })
})

it('the presets of the emulator recognize its events and no others', () => {
  const { agent, synthesis, grant } = presets.emulator
  for (const [event, isAccepted, isSpoken] of [
    [{ type: 'SettingsAccepted' }, true, false],
    [{ type: 'SpeechEnd' }, false, true],
    [null, false, false],
    [undefined, false, false],
    ['SpeechEnd', false, false],
  ] as const) {
    expect(agent.acknowledged(event)).toBe(isAccepted)
    expect(synthesis.spoken(event)).toBe(isSpoken)
  }
  expect(grant.token({ access_token: 'jwt' })).toBe('jwt')
})
