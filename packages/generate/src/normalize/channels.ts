import type { Contract } from '../read/contract.ts'
import { type JsonObject, asObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { readAddress } from './channel-address.ts'
import { channelNames, messageKeys } from './channel-names.ts'
import { type ChannelServers, isOpenable, readServers } from './channel-servers.ts'
import { type OpenChannel as Directed, readReceives, readSends } from './directions.ts'
import { aboutText } from './docs.ts'
import { readHandshake } from './handshake.ts'
import { noteUnread } from './members.ts'
import type { Messages, ReadMessage } from './messages.ts'
import type { ChannelModel, DirectionModel } from './model.ts'
import { pascalCase } from './names.ts'
import { type SocketOperation, readSocketOperations } from './socket-operations.ts'
import { readSocketRules } from './socket-rules.ts'
import { unionOf } from './union.ts'

/** A channel that a client opens, with its messages. */
interface OpenChannel extends Directed {
  readonly raw: JsonObject
  readonly servers: ChannelServers
}

/** The facts from the OpenAPI document on which the names and addresses of channels depend. */
export interface ChannelContext {
  /** The names of the operations. */
  readonly operations: Iterable<string>
  /** The addresses of the servers. */
  readonly bases: ReadonlySet<string>
}

/**
 * Reads the channels of an AsyncAPI document. If a channel has no address, or is only on servers of another protocol,
 * no client opens it, and only its messages are read.
 */
export function readChannels(
  contract: Contract,
  messages: Messages,
  context: ChannelContext,
): ChannelModel[] {
  const found = Object.entries(asObject(contract.root['channels'])).flatMap(([name, entry]) => {
    const { raw, pointer } = contract.follow(entry, childPointer('#/channels', name))
    if (!isObject(raw)) return []
    const servers =
      typeof raw['address'] === 'string' ? readServers(contract, raw, pointer, context.bases) : undefined
    return [{ name, raw, pointer, servers }]
  })
  const isOpened = ({ servers }: (typeof found)[number]) => servers !== undefined && isOpenable(servers)
  const names = channelNames(contract, found.filter(isOpened), context.operations)
  const open: OpenChannel[] = []
  for (const { name, raw, pointer, servers } of found) {
    const at = childPointer(pointer, 'messages')
    const id = names.get(name) ?? ''
    const own = messages.readAll(raw['messages'], at, servers === undefined ? '' : id || name)
    if (servers === undefined) noteBytes(contract, own)
    else if (isOpenable(servers))
      open.push({ id, raw, pointer, servers, messages: own, keys: messageKeys(contract, own.keys(), at) })
    else contract.note(servers.pointer, servers.reason)
  }
  const operations = readSocketOperations(contract, open)
  return open.map((channel) =>
    readChannel(
      contract,
      channel,
      operations.filter((operation) => operation.channel === channel.id),
    ),
  )
}

function noteBytes(contract: Contract, messages: ReadonlyMap<string, ReadMessage>): void {
  for (const { kind, pointer, contentType } of messages.values()) {
    if (kind === 'binary')
      contract.note(
        pointer,
        `a message outside of a WebSocket can only be JSON; \`${contentType}\` is ignored`,
      )
  }
}

function readChannel(
  contract: Contract,
  channel: OpenChannel,
  operations: readonly SocketOperation[],
): ChannelModel {
  const { id, raw, pointer, keys } = channel
  noteUnread(contract, 'a channel', raw, (key) => childPointer(pointer, key))
  const address = readAddress(contract, channel)
  const handshake = readHandshake(contract, channel, operations)
  const sends = readSends(channel, operations)
  const received = readReceives(contract, channel, operations)
  const receives = received.direction
  for (const key of channel.messages.keys()) {
    const isNamed = operations.some(({ messages, replies }) =>
      [...messages, ...replies].some((message) => message.key === key),
    )
    if (!isNamed)
      contract.widen(
        childPointer(pointer, 'messages', key),
        'no operation says who sends this message, so it can be both sent and received',
      )
  }
  const defineUnion = (suffix: string, { messages }: DirectionModel, description: string): void => {
    const types = messages.filter(({ kind }) => kind === 'json').map(({ type }) => type)
    const name = `${pascalCase(id)}${suffix}`
    if (types.length > 0) contract.define(name, { ...unionOf(types), description }, pointer)
  }
  defineUnion('ClientMessage', sends, `A JSON message that a client sends on \`${id}\`.`)
  defineUnion(
    'ServerMessage',
    receives,
    `A JSON message that the service is documented to send on \`${id}\`.`,
  )
  const secrets = [...channel.messages.values()].flatMap((message) => message.secrets)
  const rulesAt = childPointer(pointer, 'x-socket-rules')
  return {
    id,
    ...address,
    file: contract.source.file,
    pointer,
    doc: aboutText(raw),
    server: handshake.server,
    servers: channel.servers.addresses,
    security: handshake.security,
    securityOptional: handshake.securityOptional,
    schemes: handshake.schemes,
    query: handshake.query,
    queryType: handshake.queryType,
    sends: withMapType(contract, sends, pointer),
    receives: withMapType(contract, receives, pointer),
    replies: readReplies(operations, keys, received.keys),
    rules: readSocketRules(contract, raw['x-socket-rules'], rulesAt, { messages: sends.messages, keys }),
    secrets: [...new Set([...handshake.secrets, ...secrets])].sort(),
  }
}

/** Names the type of a map. It is declared beside the descriptors, where it could clash with any imported type. */
function withMapType(contract: Contract, direction: DirectionModel, pointer: string): DirectionModel {
  const mapType = contract.definitions.take(direction.mapType)
  if (mapType !== direction.mapType)
    contract.note(pointer, `the type \`${direction.mapType}\` is defined twice`)
  return { ...direction, mapType }
}

/** Returns the keys of the replies to each sent message. A reply in a union has the key of the union. */
function readReplies(
  operations: readonly SocketOperation[],
  keys: ReadonlyMap<string, string>,
  received: ReadonlyMap<string, string>,
): Record<string, string[]> {
  const replies: Record<string, string[]> = {}
  for (const { direction, messages, replies: messagesOfReply } of operations) {
    if (messagesOfReply.length === 0 || direction === 'receives') continue
    for (const { key } of messages) {
      const sent = keys.get(key) ?? key
      const own = messagesOfReply
        .map((reply) => keys.get(reply.key) ?? reply.key)
        .map((each) => received.get(each) ?? each)
      replies[sent] = [...new Set([...(replies[sent] ?? []), ...own])]
    }
  }
  return replies
}
