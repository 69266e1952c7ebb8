import { expect, it } from 'vitest'

import type { StandardSchema } from '../core/check.ts'
import { ConnectionError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { coreOf } from '../http/client-state.ts'
import type { ConnectionBase } from './connection.ts'
import { checked, decode, planChannel, toFrame, unchecked } from './messages.ts'
import { settingsOf } from './settings.ts'
import { bytes, type Radio, radio, studio } from './test-support/radio.ts'

const base: ConnectionBase = { connection: 1, offsetMs: 5, binaryBytesBefore: 7 }

it('recognizes a frame as a message of the contract', () => {
  const { plan } = contextOf({})
  expect(decode(plan, '{"type":"Tuned"}', base)).toMatchObject({
    plan: { key: 'tuned' },
    data: { type: 'Tuned' },
    sizeBytes: 16,
    base,
  })
  expect(decode(plan, bytes(3), undefined)).toMatchObject({
    plan: { key: 'audio' },
    data: bytes(3),
    sizeBytes: 3,
  })
  expect(decode(plan, '{"type":"New"}', undefined)).toMatchObject({
    plan: undefined,
    data: { type: 'New' },
  })
  const { plan: binary } = contextOf({}, { ...radio, receives: {} } as unknown as Radio)
  expect(decode(binary, '7', undefined)).toMatchObject({ plan: undefined, data: 7 })
  expect(decode(plan, 'not JSON', base)).toEqual({ plan: undefined, data: 'not JSON', sizeBytes: 8, base })
  // Only one byte order mark means nothing.
  expect(decode(plan, '\uFEFF1', undefined).data).toBe(1)
  expect(decode(plan, '\uFEFF\uFEFF1', undefined).data).toBe('\uFEFF\uFEFF1')
})

it("shows messages to the caller's predicates unchecked", () => {
  const { plan } = contextOf({})
  expect(unchecked(decode(plan, '{"type":"Line"}', base))).toEqual({
    type: 'message',
    message: 'line',
    data: { type: 'Line' },
  })
  expect(unchecked(decode(plan, '7', base))).toEqual({ type: 'unknown', message: undefined, data: 7 })
})

const note = { kind: 'text', tags: [] } as const
const planOf = (receives: object) =>
  contextOf({}, { ...radio, sends: { note }, receives } as unknown as Radio).plan

it('a text message gets every text frame on a channel without JSON messages, otherwise those that match no JSON message', () => {
  const keyOf = (receives: object, frame: string) => {
    const { plan, data } = decode(planOf(receives), frame, undefined)
    if (plan?.key === 'note') expect(data).toBe(frame)
    return plan?.key
  }
  expect(keyOf({ note }, '{"type":"Tuned"}')).toBe('note')
  const mixed = { ...radio.receives, note }
  const frames = ['{"type":"Tuned"}', '{"type":"New"}', '<a/>']
  expect(frames.map((frame) => keyOf(mixed, frame))).toEqual(['tuned', 'note', 'note'])
})

it('sends a text message unchanged, and only if it is a string', () => {
  expect(toFrame(planOf({}), 'note', '<a/>')).toBe('<a/>')
  expect(() => toFrame(planOf({}), 'note', { a: 1 })).toThrow('must be a string')
  const { plan: none } = contextOf({}, { ...radio, sends: {} } as unknown as Radio)
  expect(() => toFrame(none, 'note', {})).toThrow('Valid messages: none.')
})

it('R-50: re-bases messages before they are checked, on later connections only', async () => {
  const { context, plan, reports } = contextOf({
    rebase: (_: unknown, at: ConnectionBase) => ({ type: 'Line', text: at }),
  })
  expect(checked(context, decode(plan, '{"type":"Line","text":"a"}', undefined))).toMatchObject({
    data: { text: 'a' },
  })
  expect(await checked(context, decode(plan, '{"type":"Line","text":"a"}', base))).toMatchObject({
    data: { text: base },
  })
  expect(reports).toMatchObject([{ operation: 'radio.line' }])
  const plain = contextOf({})
  expect(checked(plain.context, decode(plan, '{"type":"Tuned"}', base))).toMatchObject({ message: 'tuned' })
})

it('yields a gap between two connections as `reconnected`', () => {
  const gap = { connection: 1 } as never
  expect(checked(contextOf({}).context, { gap, sizeBytes: 0 })).toEqual({
    type: 'reconnected',
    message: undefined,
    data: gap,
  })
})

it.each([
  ['7', 'a JSON message'],
  ['text', 'a text message'],
])("R-05: reports a message that the contract doesn't define: %s", (text, reason) => {
  const { context, plan, reports } = contextOf({})
  expect(checked(context, decode(plan, text, undefined))).toMatchObject({ type: 'unknown' })
  expect(reports).toMatchObject([
    { operation: 'radio', status: 101, issues: [{ path: '', reason: expect.stringContaining(reason) }] },
  ])
})

it("R-05: reports a binary message that the contract doesn't define", () => {
  const { audio: _, ...receives } = radio.receives
  const { context, plan, reports } = contextOf({}, { ...radio, receives } as unknown as Radio)
  expect(checked(context, decode(plan, bytes(1), undefined))).toMatchObject({ type: 'unknown' })
  expect(reports).toMatchObject([{ issues: [{ reason: expect.stringContaining('a binary message') }] }])
})

it('R-05: yields and reports a message that could not be checked', async () => {
  const unavailable = new ConnectionError('not loaded', { phase: 'receive', sent: 'no' })
  const channel = withLine(() => Promise.reject(unavailable))
  const { context, plan, reports } = contextOf({}, channel)
  const line = decode(plan, '{"type":"Line"}', undefined)
  expect(await checked(context, line)).toMatchObject({ message: 'line' })
  expect(reports).toMatchObject([
    { operation: 'radio.line', issues: [{ reason: expect.stringContaining('could not be checked') }] },
  ])
  const strict = contextOf({ validate: 'enforce' }, channel)
  expect(await rejection(Promise.resolve(checked(strict.context, line)))).toMatchObject({
    code: 'contract-drift',
    data: { type: 'Line' },
    message: expect.stringContaining('could not be checked, so it is available only'),
  })
  expect(strict.reports).toEqual([])
})

it('R-05: throws what a schema throws', async () => {
  const mine = new Error('mine')
  const schema: StandardSchema = {
    '~standard': { version: 1, vendor: 'x', validate: () => Promise.reject(mine) },
  }
  const { context, plan } = contextOf(
    {},
    withLine(() => schema),
  )
  expect(await rejection(Promise.resolve(checked(context, decode(plan, '{"type":"Line"}', undefined))))).toBe(
    mine,
  )
})

it("R-05: doesn't check messages without a check, or with `validate: 'off'`", () => {
  const { context, plan, reports } = contextOf({ validate: 'off' })
  expect(checked(context, decode(plan, '{"type":"Line"}', undefined))).toMatchObject({ message: 'line' })
  expect(checked(context, decode(plan, '7', undefined))).toMatchObject({ type: 'unknown' })
  expect(checked(contextOf({}).context, decode(plan, '{"type":"Tuned","more":1}', undefined))).toMatchObject({
    message: 'tuned',
  })
  expect(reports).toEqual([])
})

it('waits for an asynchronous schema before it sends a message', async () => {
  const late: { issues: readonly { message: string }[] | undefined } = { issues: undefined }
  const schema: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'x',
      validate: async (value) => (late.issues === undefined ? { value } : { issues: late.issues }),
    },
  }
  const note = { ...radio.sends['note']!, check: { schema: () => schema } }
  const { plan } = contextOf({}, { ...radio, sends: { ...radio.sends, note } })
  expect(await toFrame(plan, 'note', { text: 'a' })).toBe('{"text":"a"}')
  late.issues = [{ message: 'no' }]
  expect(await rejection(Promise.resolve(toFrame(plan, 'note', {})))).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '', reason: 'no' }],
  })
})

function contextOf(options: object, channel: Radio = radio) {
  const { client, drift: reports } = studio()
  const core = coreOf(client, 'radio')
  const plan = planChannel(core, channel as never)
  return { context: { core, plan, settings: settingsOf(core, channel as never, options) }, plan, reports }
}

function withLine(schema: () => StandardSchema | Promise<StandardSchema>): Radio {
  return {
    ...radio,
    receives: { ...radio.receives, line: { ...radio.receives['line']!, check: { schema } } },
  }
}
