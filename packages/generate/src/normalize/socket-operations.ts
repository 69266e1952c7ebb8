import type { ContractNode } from '../read/contract.ts'
import { isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { ChannelServers } from './channel-servers.ts'
import { aboutText } from './docs.ts'
import { noteUnread } from './members.ts'
import type { ReadMessage } from './messages.ts'
import { type WithTraits, withTraits } from './traits.ts'

/** A channel that a client opens. */
export interface OpenChannel {
  readonly id: string
  readonly node: ContractNode
  readonly servers: ChannelServers
  /** The messages by their keys in the contract. */
  readonly messages: ReadonlyMap<string, ReadMessage>
  /** Maps the messages' keys in the contract to their keys in the generated code. */
  readonly keys: ReadonlyMap<string, string>
}

/** One operation of an AsyncAPI document, from the client's point of view. */
export interface SocketOperation {
  /** The key of the operation's channel. */
  readonly channel: string
  /** The contract's `action` is from the service's point of view, so `receive` becomes `sends`. */
  readonly direction: 'sends' | 'receives'
  /** The keys of the operation's messages. */
  readonly messages: readonly string[]
  /** The keys of the possible replies. */
  readonly replies: readonly string[]
  /** The operation's own security requirements, if any. */
  readonly security: ContractNode
  readonly doc: string | undefined
}

export function readSocketOperations(
  document: ContractNode,
  channels: readonly OpenChannel[],
): SocketOperation[] {
  const operations = document.at('operations').members()
  return operations.flatMap(([, entry]) => {
    const node = entry.follow()
    if (!node.isObject) return []
    const whole = withTraits(node)
    const channel = channelOf(whole.at('channel'), channels)
    return channel ? [readOperation(whole, channel)] : []
  })
}

function readOperation(whole: WithTraits, channel: OpenChannel): SocketOperation {
  const { raw } = whole
  noteUnread('an operation on a channel', whole)
  const direction = raw['action'] === 'receive' ? 'sends' : 'receives'
  return {
    channel: channel.id,
    direction,
    messages:
      raw['messages'] === undefined
        ? [...channel.messages.keys()]
        : readReferences(whole.at('messages'), channel),
    replies: readReply(whole.at('reply'), channel, direction),
    security: whole.at('security'),
    doc: aboutText(raw),
  }
}

function readReply(
  entry: ContractNode,
  channel: OpenChannel,
  direction: SocketOperation['direction'],
): readonly string[] {
  if (entry.value === undefined) return []
  const reply = entry.follow()
  if (!reply.isObject) return []
  if (direction === 'receives')
    entry.note(
      "the client can't reply to a specific message of the service; send replies as ordinary messages",
    )
  if (reply.raw['address'] !== undefined)
    reply.note(
      'the address of a reply is ignored; the client expects replies on the same connection',
      'address',
    )
  const own = reply.raw['channel']
  if (own !== undefined && !channelOf(reply.with(own), [channel])) {
    reply.note(
      'a reply on another channel is ignored; open that channel, and read the reply there',
      'channel',
    )
    return []
  }
  if (reply.raw['messages'] === undefined) {
    reply.note('the reply must list its `messages`')
    return []
  }
  return readReferences(reply.at('messages'), channel)
}

function readReferences(list: ContractNode, channel: OpenChannel): readonly string[] {
  return list.items().flatMap((entry) => {
    const key = keyOf(entry, channel)
    if (key !== undefined) return [key]
    entry.widen(`this must refer to a message of the channel itself: #/channels/${channel.id}/messages/<key>`)
    return []
  })
}

/**
 * Returns the key of the message that a reference leads to. The reference can lead to an entry in the channel's
 * `messages`, or directly to the message that the entry refers to.
 */
function keyOf({ contract, value }: ContractNode, { node, messages }: OpenChannel): string | undefined {
  const keys = [...messages.keys()]
  let current = value
  for (let depth = 0; depth < 50 && isObject(current) && typeof current['$ref'] === 'string'; depth++) {
    const found = contract.target(current)
    if (!found) return undefined
    const key = keys.find((each) => found.pointer === childPointer(node.pointer, 'messages', each))
    if (key !== undefined) return key
    if (!isObject(found.raw) || typeof found.raw['$ref'] !== 'string')
      return keys.find((each) => messages.get(each)?.node.pointer === found.pointer)
    current = found.raw
  }
  return undefined
}

function channelOf(entry: ContractNode, channels: readonly OpenChannel[]): OpenChannel | undefined {
  const found = entry.value === undefined ? undefined : entry.follow()
  return found && channels.find(({ node }) => node.pointer === found.pointer)
}
