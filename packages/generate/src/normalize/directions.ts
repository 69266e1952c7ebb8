import type { ContractNode } from '../read/contract.ts'
import { paragraphs } from './docs.ts'
import type { DirectionModel, MessageModel } from './model.ts'
import { pascalCase } from './names.ts'
import { type Recognizable, recognizable } from './recognizable.ts'
import type { OpenChannel, SocketOperation } from './socket-operations.ts'

/** Reads the messages that a client sends on a channel. */
export function readSends(channel: OpenChannel, operations: readonly SocketOperation[]): DirectionModel {
  const messages = messagesOf(channel, operations, 'sends').map(({ message }) => message)
  return directionOf(channel, operations, 'sends', messages)
}

/** Reads the messages that a client receives on a channel. */
export function readReceives(
  channel: OpenChannel,
  operations: readonly SocketOperation[],
): { readonly direction: DirectionModel; readonly keys: Recognizable['keys'] } {
  const { messages, keys } = recognizable(
    messagesOf(channel, operations, 'receives'),
    (key) => `${pascalCase(channel.id)}${pascalCase(key)}`,
  )
  return { direction: directionOf(channel, operations, 'receives', messages), keys }
}

/** Returns the messages of one direction. A message is in both directions if no operation lists it. */
function messagesOf(
  { node, messages: all, keys }: OpenChannel,
  operations: readonly SocketOperation[],
  way: SocketOperation['direction'],
): { readonly message: MessageModel; readonly node: ContractNode }[] {
  const named = { sends: new Set<string>(), receives: new Set<string>() }
  for (const { direction, messages, replies } of operations) {
    for (const key of messages) named[direction].add(key)
    // A reply goes in the opposite direction to the message that it answers.
    for (const key of replies) named[direction === 'sends' ? 'receives' : 'sends'].add(key)
  }
  return [...all].flatMap(([key, { kind, contentType, type, tags, doc, correlation, payload }]) => {
    const isNamed = named.sends.has(key) || named.receives.has(key)
    if (isNamed && !named[way].has(key)) return []
    const model = { key: keys.get(key) ?? key, kind, contentType, type, tags, doc }
    return [
      {
        message: correlation === undefined ? model : { ...model, correlation },
        node: node.at('messages', key).with(payload),
      },
    ]
  })
}

function directionOf(
  channel: OpenChannel,
  operations: readonly SocketOperation[],
  way: SocketOperation['direction'],
  messages: readonly MessageModel[],
): DirectionModel {
  const docs = operations.filter(({ direction }) => direction === way).map(({ doc }) => doc)
  return { mapType: `${pascalCase(channel.id)}${pascalCase(way)}`, messages, doc: paragraphs(...docs) }
}
