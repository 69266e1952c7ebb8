import type { Contract } from '../read/contract.ts'
import type { Json } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { areDisjoint } from './disjoint.ts'
import type { ReadMessage } from './messages.ts'
import type { DirectionModel, MessageModel } from './model.ts'
import { pascalCase } from './names.ts'
import type { SocketOperation } from './socket-operations.ts'
import { compareTags } from './tags.ts'

interface Channel {
  readonly id: string
  readonly pointer: string
  readonly messages: ReadonlyMap<string, ReadMessage>
}

/** Collects what goes one way on a channel, from the operations on it and their replies. */
export function readDirection(
  contract: Contract,
  channel: Channel,
  operations: readonly SocketOperation[],
  way: 'sends' | 'receives',
): DirectionModel {
  const keys = new Set(
    operations
      .flatMap(({ direction, messages, replies }) => [
        ...(direction === way ? messages : []),
        ...(way === 'receives' ? replies : []),
      ])
      .map(({ key }) => key),
  )
  const messages: MessageModel[] = []
  for (const [key, { kind, contentType, type, tags, doc }] of channel.messages) {
    if (keys.has(key)) messages.push({ key, kind, contentType, type, tags, doc })
  }
  if (way === 'receives') checkTellable(contract, channel, messages)
  const docs = operations.filter(({ direction }) => direction === way).map(({ doc }) => doc)
  const doc = docs.filter((text) => text !== undefined).join('\n\n')
  return {
    mapType: `${pascalCase(channel.id)}${pascalCase(way)}`,
    messages: way === 'receives' ? inOrderOfTrial(messages) : messages,
    doc: doc === '' ? undefined : doc,
  }
}

/** Messages with more tags are tried first, so that one with fewer gets only the rest. */
function inOrderOfTrial(messages: readonly MessageModel[]): MessageModel[] {
  return messages.toSorted((first, second) => second.tags.length - first.tags.length)
}

/** A client that gets a message must know which one it is. */
function checkTellable(contract: Contract, channel: Channel, messages: readonly MessageModel[]): void {
  const payloadOf = ({ key }: MessageModel) => channel.messages.get(key)?.payload ?? true
  messages.forEach((first, index) => {
    for (const second of messages.slice(index + 1)) {
      if (first.kind !== second.kind) continue
      const verdict = compareTags(first.tags, second.tags)
      if (verdict !== 'the same' && verdict !== 'unclear') continue
      // Without any tags, a message is the one whose schema accepts it.
      const resolve = (raw: Json) => contract.resolve(raw)
      if (first.tags.length === 0 && areDisjoint(payloadOf(first), payloadOf(second), resolve)) continue
      contract.refuse(
        childPointer(channel.pointer, 'messages', second.key),
        first.kind === 'binary'
          ? `\`${first.key}\` and \`${second.key}\` are both binary, and a client cannot tell them apart`
          : `a client could not tell \`${first.key}\` and \`${second.key}\` apart; ` +
              'add a required property with a different const to both',
      )
    }
  })
}
