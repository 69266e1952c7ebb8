import { expect, it } from 'vitest'
import type { ChannelDescriptor, MessageDescriptor } from '../core/descriptors.ts'
import { textFields } from '../http/test-support/fixtures.ts'
import { coreOf } from '../http/client-state.ts'
import { planChannel, Recognizer } from './messages.ts'
import { radio, studio } from './test-support/radio.ts'

it('recognizes raw messages that have a reply or are replayed', () => {
  const { keyOfRawMessage } = planned()
  expect(keyOfRawMessage('{"type":"Tune"}')).toBe('tune')
  // A keep-alive and a note have no consequences.
  expect(keyOfRawMessage('{"type":"KeepAlive"}')).toBeUndefined()
  expect(keyOfRawMessage('{"text":"a"}')).toBeUndefined()
  expect(keyOfRawMessage('not JSON')).toBeUndefined()
  expect(planned({ rules: {} }).keyOfRawMessage('{"type":"Tune"}')).toBe('tune')
  expect(planned({ replies: {} }).keyOfRawMessage('{"type":"Tune"}')).toBe('tune')
  expect(planned({ replies: {}, rules: {} }).keyOfRawMessage('{"type":"Tune"}')).toBeUndefined()
  // Any text would be an untagged message.
  expect(planned({ replies: { note: ['line'] }, rules: {} }).keyOfRawMessage('{"text":"a"}')).toBeUndefined()
})

function planned(given: Partial<ChannelDescriptor> = {}) {
  return planChannel(coreOf(studio().client, 'radio'), { ...(radio as ChannelDescriptor), ...given })
}

const json = (tags: MessageDescriptor['tags'], check?: MessageDescriptor['check']): MessageDescriptor =>
  check === undefined ? { kind: 'json', tags } : { kind: 'json', tags, check }
const tag = (pointer: string, equals: string | number | boolean) => [{ pointer, equals }]
const keyOf = (messages: Record<string, MessageDescriptor>, value: unknown) =>
  new Recognizer(messages).json(value)?.key

it('finds the binary message of a channel', () => {
  const binary: MessageDescriptor = { kind: 'binary', tags: [] }
  expect(new Recognizer({ a: json([]), b: binary }).binary?.key).toBe('b')
  expect(new Recognizer({ a: json([]) }).binary).toBeUndefined()
  expect(keyOf({ b: binary }, {})).toBeUndefined()
})

it('recognizes messages by one property', () => {
  const messages = { a: json(tag('/type', 'A')), b: json(tag('/type', 'B')), c: json(tag('/type', 'A')) }
  expect(keyOf(messages, { type: 'A' })).toBe('a')
  expect(keyOf(messages, { type: 'B' })).toBe('b')
  for (const value of [{ type: 'C' }, {}, null, 'A', 7, Object.create({ type: 'A' })])
    expect(keyOf(messages, value)).toBeUndefined()
})

it('ignores inherited properties, even if a tag names one', () => {
  const messages = { a: json(tag('/toString', 'A')) }
  expect(keyOf(messages, {})).toBeUndefined()
  expect(keyOf(messages, { toString: 'A' })).toBe('a')
  expect(keyOf({ a: json(tag('/length', 1)) }, 'A')).toBeUndefined()
})

it.each<[string, Record<string, MessageDescriptor>, unknown, unknown]>([
  ['different properties', { a: json(tag('/x', 1)), b: json(tag('/y', 1)) }, { y: 1 }, { x: 2, y: 2 }],
  ['a nested property', { b: json(tag('/x/y', 1)) }, { x: { y: 1 } }, { 'x/y': 1 }],
  ['an escaped property', { b: json(tag('/x~1y', 1)) }, { 'x/y': 1 }, { 'x~1y': 1 }],
  ['a tilde', { b: json(tag('/~0x', 1)) }, { '~x': 1 }, { '~0x': 1 }],
  [
    'two tags with one pointer',
    { a: json([...tag('/x', 1), ...tag('/x', 2)]), b: json(tag('/x', 2)) },
    { x: 2 },
    { x: 1 },
  ],
  [
    'two tags, both of which must match',
    { a: json([...tag('/x', 1), ...tag('/y', 1)]), b: json([...tag('/x', 1), ...tag('/y', 2)]) },
    { x: 1, y: 2 },
    { x: 1, y: 3 },
  ],
  ['the whole value', { b: json(tag('', 'yes')) }, 'yes', 'no'],
])('recognizes messages by %s', (_, messages, match, other) => {
  expect(keyOf(messages, match)).toBe('b')
  expect(keyOf(messages, other)).toBeUndefined()
})

it('takes any other value for the only untagged message, without checking it', () => {
  const picky = { schema: () => textFields('name') }
  expect(keyOf({ a: json([], picky) }, 7)).toBe('a')
  expect(keyOf({ a: json(tag('/type', 'A')), b: json([], picky) }, 7)).toBe('b')
  expect(keyOf({ a: json(tag('/type', 'A')), b: json([], picky) }, { type: 'A' })).toBe('a')
})

it('takes a value for the first of several untagged messages that accepts it', () => {
  const messages = {
    a: json([], { accepts: Array.isArray, schema: () => textFields('x') }),
    b: json([], { schema: () => textFields('name') }),
    c: json([], { schema: () => textFields('name', 'more') }),
  }
  const { a, b } = messages
  expect(keyOf({ a, b }, { name: 'n' })).toBe('b')
  expect(keyOf(messages, [])).toBe('a')
  expect(keyOf(messages, { name: 'n', more: 'm' })).toBe('b')
  expect(keyOf(messages, 7)).toBeUndefined()
  expect(keyOf({ ...messages, d: json([]) }, 7)).toBe('d')
  const slow = { schema: () => Promise.resolve(textFields('x')) }
  expect(keyOf({ ...messages, d: json([], slow), e: json([]) }, 7)).toBe('d')
})
