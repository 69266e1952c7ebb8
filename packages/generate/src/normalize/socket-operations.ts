import type { Contract } from '../read/contract.ts'
import { type Json, asList, asObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { aboutText } from './docs.ts'
import { noteUnread } from './members.ts'
import { type WithTraits, withTraits } from './traits.ts'

/** One operation of an AsyncAPI document, from the client's point of view. */
export interface SocketOperation {
  readonly pointer: string
  /** The key of the operation's channel. */
  readonly channel: string
  /** The client's direction: `sends` for `action: receive`, in which the service receives. */
  readonly direction: 'sends' | 'receives'
  /** The messages of the operation. */
  readonly messages: readonly MessageReference[]
  /** The replies to each of these messages. */
  readonly replies: readonly MessageReference[]
  /** The operation's own security requirements, if any. */
  readonly security: { readonly list: Json; readonly pointer: string } | undefined
  readonly doc: string | undefined
}

/** A message of a channel, and the place that refers to it. */
interface MessageReference {
  readonly key: string
  readonly pointer: string
}

/** A channel with operations. */
interface OperatedChannel {
  readonly id: string
  readonly pointer: string
  /** The place of each message, by its key. */
  readonly messages: ReadonlyMap<string, { readonly pointer: string }>
}

/** Reads the operations on the given channels. */
export function readSocketOperations(
  contract: Contract,
  channels: readonly OperatedChannel[],
): SocketOperation[] {
  const operations = asObject(contract.root['operations'])
  return Object.entries(operations).flatMap(([id, entry]) => {
    const { raw, pointer } = contract.follow(entry, childPointer('#/operations', id))
    if (!isObject(raw)) return []
    const whole = withTraits(contract, raw, pointer)
    const channel = channelOf(contract, whole.raw['channel'], whole.placeOf('channel'), channels)
    return channel ? [readOperation(contract, whole, pointer, channel)] : []
  })
}

function readOperation(
  contract: Contract,
  whole: WithTraits,
  pointer: string,
  channel: OperatedChannel,
): SocketOperation {
  const { raw, placeOf } = whole
  noteUnread(contract, 'an operation on a channel', raw, placeOf)
  const messages = raw['messages']
  const direction = raw['action'] === 'receive' ? 'sends' : 'receives'
  return {
    pointer,
    channel: channel.id,
    direction,
    messages:
      messages === undefined
        ? [...channel.messages.keys()].map((key) => ({ key, pointer }))
        : readReferences(contract, messages, placeOf('messages'), channel),
    replies: readReply(contract, raw['reply'], placeOf('reply'), { channel, direction }),
    security:
      raw['security'] === undefined ? undefined : { list: raw['security'], pointer: placeOf('security') },
    doc: aboutText(raw),
  }
}

function readReply(
  contract: Contract,
  entry: Json | undefined,
  at: string,
  { channel, direction }: { readonly channel: OperatedChannel; readonly direction: string },
): MessageReference[] {
  if (entry === undefined) return []
  const { raw, pointer } = contract.follow(entry, at)
  if (!isObject(raw)) return []
  if (direction === 'receives')
    contract.note(
      at,
      "the client doesn't match replies that it sends to the service; send them as ordinary messages",
    )
  if (raw['address'] !== undefined) {
    contract.note(
      childPointer(pointer, 'address'),
      'the address of a reply is ignored; the client expects replies on the same connection',
    )
  }
  if (raw['channel'] !== undefined && !channelOf(contract, raw['channel'], pointer, [channel])) {
    contract.note(
      childPointer(pointer, 'channel'),
      'a reply on another channel is ignored; open that channel, and read the reply there',
    )
    return []
  }
  if (raw['messages'] === undefined) {
    contract.note(pointer, 'the reply must list its `messages`')
    return []
  }
  return readReferences(contract, raw['messages'], childPointer(pointer, 'messages'), channel)
}

function readReferences(
  contract: Contract,
  list: Json,
  at: string,
  channel: OperatedChannel,
): MessageReference[] {
  return asList(list).flatMap((entry, index) => {
    const pointer = childPointer(at, index)
    const key = keyOf(contract, entry, channel)
    if (key !== undefined) return [{ key, pointer }]
    contract.widen(
      pointer,
      `refer to a message of the channel itself: #/channels/${channel.id}/messages/<key>`,
    )
    return []
  })
}

/** The key of the message that a reference leads to. The reference may name the channel's message, or its target. */
function keyOf(contract: Contract, entry: Json, { pointer, messages }: OperatedChannel): string | undefined {
  const keys = [...messages.keys()]
  let current = entry
  for (let depth = 0; depth < 50 && isObject(current) && typeof current['$ref'] === 'string'; depth++) {
    const found = contract.target(current)
    if (!found) return undefined
    const key = keys.find((each) => found.pointer === childPointer(pointer, 'messages', each))
    if (key !== undefined) return key
    if (!isObject(found.raw) || typeof found.raw['$ref'] !== 'string')
      return keys.find((each) => messages.get(each)?.pointer === found.pointer)
    current = found.raw
  }
  return undefined
}

/** The channel that a reference leads to. */
function channelOf(
  contract: Contract,
  entry: Json | undefined,
  at: string,
  channels: readonly OperatedChannel[],
): OperatedChannel | undefined {
  const found = entry === undefined ? undefined : contract.follow(entry, at)
  return found && channels.find(({ pointer }) => pointer === found.pointer)
}
