import type { ContractNode } from '../read/contract.ts'
import { readAddress } from './channel-address.ts'
import { channelNames, messageKeys } from './channel-names.ts'
import { isOpenable, readServers } from './channel-servers.ts'
import { readReceives, readSends } from './directions.ts'
import { aboutText } from './docs.ts'
import { readHandshake } from './handshake.ts'
import { noteUnread } from './members.ts'
import { type ReadMessage, readMessages } from './messages.ts'
import type { ChannelModel, DirectionModel } from './model.ts'
import { pascalCase } from './names.ts'
import { unionOf } from './rules.ts'
import { type OpenChannel, type SocketOperation, readSocketOperations } from './socket-operations.ts'
import { readSocketRules } from './socket-rules.ts'

/**
 * Reads the channels of an AsyncAPI document. Clients can open a channel only if it has an address and uses
 * WebSocket. For any other channel, only the messages are read.
 *
 * @param taken - The names of the operations.
 * @param bases - The addresses of the servers in the OpenAPI document.
 */
export function readChannels(
  document: ContractNode,
  taken: readonly string[],
  bases: ReadonlySet<string>,
): ChannelModel[] {
  const all = document.at('channels').members()
  const found = all.flatMap(([name, entry]) => {
    const node = entry.follow()
    if (!node.isObject) return []
    const servers = typeof node.raw['address'] === 'string' ? readServers(node, bases) : undefined
    return [{ name, node, servers }]
  })
  const isOpened = ({ servers }: (typeof found)[number]) => servers !== undefined && isOpenable(servers)
  const names = channelNames(found.filter(isOpened), taken)
  const open: OpenChannel[] = []
  for (const { name, node, servers } of found) {
    const at = node.at('messages')
    const id = names.get(name) ?? ''
    const own = readMessages(at, servers === undefined ? '' : id || name)
    if (servers === undefined) noteBytes(own)
    else if (isOpenable(servers))
      open.push({ id, node, servers, messages: own, keys: messageKeys(at, own.keys()) })
    else servers.node.note(servers.reason)
  }
  const operations = readSocketOperations(document, open)
  return open.map((channel) =>
    readChannel(
      channel,
      operations.filter((operation) => operation.channel === channel.id),
    ),
  )
}

function noteBytes(messages: ReadonlyMap<string, ReadMessage>): void {
  for (const { kind, node, contentType } of messages.values())
    if (kind === 'binary')
      node.note(
        `a message that isn't sent on a WebSocket can only be JSON; the content type \`${contentType}\` is ignored`,
      )
}

function readChannel(channel: OpenChannel, operations: readonly SocketOperation[]): ChannelModel {
  const { id, node, keys } = channel
  noteUnread('a channel', node)
  const address = readAddress(id, node)
  const { secrets, ...handshake } = readHandshake(channel, operations)
  const sends = readSends(channel, operations)
  const received = readReceives(channel, operations)
  const receives = received.direction
  for (const key of channel.messages.keys()) {
    const isNamed = operations.some(({ messages, replies }) => [...messages, ...replies].includes(key))
    if (!isNamed)
      node.widen(
        'no operation says who sends this message, so it can be both sent and received',
        'messages',
        key,
      )
  }
  const defineUnion = (suffix: string, { messages }: DirectionModel, description: string): void => {
    const types = messages.filter(({ kind }) => kind === 'json').map(({ type }) => type)
    if (types.length > 0) node.define(`${pascalCase(id)}${suffix}`, { ...unionOf(types), description })
  }
  defineUnion('ClientMessage', sends, `A JSON message that a client sends on \`${id}\`.`)
  defineUnion(
    'ServerMessage',
    receives,
    `A JSON message that the service is documented to send on \`${id}\`.`,
  )
  const ofMessages = [...channel.messages.values()].flatMap((message) => message.secrets)
  return {
    id,
    ...address,
    file: node.contract.source.file,
    pointer: node.pointer,
    doc: aboutText(node.raw),
    ...handshake,
    servers: channel.servers.addresses,
    sends: withMapType(node, sends),
    receives: withMapType(node, receives),
    replies: readReplies(operations, keys, received.keys),
    rules: readSocketRules(node.at('x-socket-rules'), sends.messages, keys),
    secrets: [...new Set([...secrets, ...ofMessages])].sort(),
  }
}

/**
 * Reserves a unique name for the `mapType` of a direction. The file that declares this type also imports other types,
 * which could have the same name.
 */
function withMapType(node: ContractNode, direction: DirectionModel): DirectionModel {
  const mapType = node.contract.definitions.take(direction.mapType)
  if (mapType !== direction.mapType) node.note(`the type \`${direction.mapType}\` is defined twice`)
  return { ...direction, mapType }
}

/**
 * For each message that a client sends, returns the keys of its replies. Messages that a client can't distinguish are
 * received as one union. For a reply in a union, the function returns the key of the union.
 */
function readReplies(
  operations: readonly SocketOperation[],
  keys: ReadonlyMap<string, string>,
  received: ReadonlyMap<string, string>,
): Record<string, string[]> {
  const replies: Record<string, string[]> = {}
  for (const { direction, messages, replies: keysOfReplies } of operations) {
    if (keysOfReplies.length === 0 || direction === 'receives') continue
    const own = keysOfReplies.map((key) => keys.get(key) ?? key).map((key) => received.get(key) ?? key)
    for (const key of messages) {
      const sent = keys.get(key) ?? key
      replies[sent] = [...new Set([...(replies[sent] ?? []), ...own])]
    }
  }
  return replies
}
