import type { Contract } from '../read/contract.ts'
import { childPointer } from '../read/pointer.ts'
import type { ReadMessage } from './messages.ts'
import type { DirectionModel, MessageModel } from './model.ts'
import { pascalCase } from './names.ts'
import { type Recognizable, recognizable } from './recognizable.ts'
import type { SocketOperation } from './socket-operations.ts'

/** A channel that a client opens, with its messages by their keys in the contract. */
export interface OpenChannel {
  readonly id: string
  readonly pointer: string
  readonly messages: ReadonlyMap<string, ReadMessage>
  /** The keys of messages in the generated code. */
  readonly keys: ReadonlyMap<string, string>
}

/** The messages that a client sends on a channel, from the operations on it. */
export function readSends(channel: OpenChannel, operations: readonly SocketOperation[]): DirectionModel {
  const messages = messagesOf(channel, operations, 'sends').map(([, model]) => model)
  return directionOf(channel, operations, 'sends', messages)
}

/** The messages that a client receives on a channel, from the operations on it and their replies. */
export function readReceives(
  contract: Contract,
  channel: OpenChannel,
  operations: readonly SocketOperation[],
): { readonly direction: DirectionModel; readonly keys: Recognizable['keys'] } {
  const placed = messagesOf(channel, operations, 'receives').map(([key, message]) => ({
    message,
    pointer: childPointer(channel.pointer, 'messages', key),
    payload: channel.messages.get(key)?.payload ?? true,
  }))
  const name = (key: string) => `${pascalCase(channel.id)}${pascalCase(key)}`
  const { messages, keys } = recognizable(contract, placed, name)
  return { direction: directionOf(channel, operations, 'receives', messages), keys }
}

/** The messages of one direction. Messages that no operation names are in both directions. */
function messagesOf(
  channel: OpenChannel,
  operations: readonly SocketOperation[],
  way: 'sends' | 'receives',
): [key: string, message: MessageModel][] {
  const named = { sends: new Set<string>(), receives: new Set<string>() }
  for (const { direction, messages, replies } of operations) {
    for (const { key } of messages) named[direction].add(key)
    // A reply goes in the other direction.
    for (const { key } of replies) named[direction === 'sends' ? 'receives' : 'sends'].add(key)
  }
  return [...channel.messages].flatMap(([key, { kind, contentType, type, tags, doc, correlation }]) => {
    const isNamed = named.sends.has(key) || named.receives.has(key)
    if (isNamed && !named[way].has(key)) return []
    const model = { key: channel.keys.get(key) ?? key, kind, contentType, type, tags, doc }
    return [[key, correlation === undefined ? model : { ...model, correlation }]]
  })
}

function directionOf(
  channel: OpenChannel,
  operations: readonly SocketOperation[],
  way: 'sends' | 'receives',
  messages: readonly MessageModel[],
): DirectionModel {
  const docs = operations.filter(({ direction }) => direction === way).map(({ doc }) => doc)
  const doc = docs.filter((text) => text !== undefined).join('\n\n')
  return {
    mapType: `${pascalCase(channel.id)}${pascalCase(way)}`,
    messages,
    doc: doc === '' ? undefined : doc,
  }
}
