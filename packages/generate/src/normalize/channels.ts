import type { Contract } from '../read/contract.ts'
import { type JsonObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { Definitions } from './definitions.ts'
import { readDirection } from './directions.ts'
import { aboutText } from './docs.ts'
import { readHandshake } from './handshake.ts'
import type { Messages, ReadMessage } from './messages.ts'
import type { ChannelModel, DirectionModel } from './model.ts'
import { isReserved, operationNamePattern, pascalCase } from './names.ts'
import { type SocketOperation, readSocketOperations } from './socket-operations.ts'
import { readSocketRules } from './socket-rules.ts'
import { unionOf } from './union.ts'

/** The members of a channel that a client opens. */
const known = new Set([
  'address',
  'bindings',
  'description',
  'externalDocs',
  'messages',
  'parameters',
  'servers',
  'summary',
  'tags',
  'title',
])

/** A channel that a client opens, with its messages read. */
interface OpenChannel {
  readonly id: string
  readonly raw: JsonObject
  readonly pointer: string
  readonly messages: ReadonlyMap<string, ReadMessage>
}

/**
 * Reads the channels of an AsyncAPI document. Of one without an address, which no client opens, only the messages
 * are read.
 */
export function readChannels(
  contract: Contract,
  definitions: Definitions,
  messages: Messages,
): ChannelModel[] {
  const open = new Map<string, OpenChannel>()
  const channels = isObject(contract.root['channels']) ? contract.root['channels'] : {}
  for (const [id, entry] of Object.entries(channels)) {
    const { raw, pointer } = contract.follow(entry, childPointer('#/channels', id))
    if (!isObject(raw)) continue
    const isOpened = typeof raw['address'] === 'string'
    if (isOpened && !isName(contract, id, pointer)) continue
    const own = messages.readAll(raw['messages'], childPointer(pointer, 'messages'), isOpened ? id : '')
    if (!isOpened) refuseBytes(contract, own)
    else open.set(id, { id, raw, pointer, messages: own })
  }
  const operations = readSocketOperations(contract, (id) => {
    const channel = open.get(id)
    return channel && [...channel.messages.keys()]
  })
  return [...open.values()].map((channel) =>
    readChannel(
      contract,
      definitions,
      channel,
      operations.filter((operation) => operation.channel === channel.id),
    ),
  )
}

function refuseBytes(contract: Contract, messages: ReadonlyMap<string, ReadMessage>): void {
  for (const { kind, pointer, contentType } of messages.values()) {
    if (kind === 'binary')
      contract.refuse(pointer, `a pushed message of the type \`${contentType}\` is not read; only JSON is`)
  }
}

function readChannel(
  contract: Contract,
  definitions: Definitions,
  channel: OpenChannel,
  operations: readonly SocketOperation[],
): ChannelModel {
  const { id, raw, pointer } = channel
  checkMembers(contract, channel)
  const handshake = readHandshake(contract, definitions, channel, operations)
  const direction = (way: 'sends' | 'receives') => readDirection(contract, channel, operations, way)
  const [sends, receives] = [direction('sends'), direction('receives')]
  for (const key of channel.messages.keys()) {
    isName(contract, key, childPointer(pointer, 'messages', key))
    if ([...sends.messages, ...receives.messages].some((message) => message.key === key)) continue
    contract.refuse(childPointer(pointer, 'messages', key), 'no operation says who sends this message')
  }
  const defineUnion = (suffix: string, { messages }: DirectionModel, description: string): void => {
    const types = messages.filter(({ kind }) => kind === 'json').map(({ type }) => type)
    const name = `${pascalCase(id)}${suffix}`
    if (types.length > 0) definitions.add(name, { ...unionOf(types), description }, pointer, contract)
  }
  defineUnion('ClientMessage', sends, `A JSON message that a client sends on \`${id}\`.`)
  defineUnion(
    'ServerMessage',
    receives,
    `A JSON message that the service is documented to send on \`${id}\`.`,
  )
  for (const { mapType } of [sends, receives]) {
    if (definitions.schemas.has(mapType)) contract.refuse(pointer, `the type \`${mapType}\` is defined twice`)
  }
  const secrets = [...channel.messages.values()].flatMap((message) => message.secrets)
  return {
    id,
    address: String(raw['address']),
    file: contract.source.file,
    pointer,
    doc: aboutText(raw),
    server: handshake.server,
    security: handshake.security,
    securityOptional: handshake.securityOptional,
    schemes: handshake.schemes,
    query: handshake.query,
    queryType: handshake.queryType,
    sends,
    receives,
    replies: readReplies(operations),
    rules: readSocketRules(
      contract,
      raw['x-socket-rules'],
      childPointer(pointer, 'x-socket-rules'),
      sends.messages,
    ),
    secrets: [...new Set([...handshake.secrets, ...secrets])].sort(),
  }
}

function isName(contract: Contract, name: string, pointer: string): boolean {
  if (operationNamePattern.test(name) && !isReserved(name) && !(name in Object.prototype)) return true
  contract.refuse(
    pointer,
    `\`${name}\` cannot be the name of a variable or a member; write it in camelCase, and not as a reserved word`,
  )
  return false
}

function checkMembers(contract: Contract, { raw, pointer }: OpenChannel): void {
  for (const key of Object.keys(raw)) {
    if (known.has(key) || key.startsWith('x-')) continue
    contract.refuse(childPointer(pointer, key), `\`${key}\` of a channel is not read`)
  }
  if (raw['parameters'] !== undefined)
    contract.refuse(
      childPointer(pointer, 'parameters'),
      'parameters in the address of a channel are not expressed',
    )
  const address = String(raw['address'])
  if (/^\/[^{}?#]*$/.test(address)) return
  contract.refuse(
    childPointer(pointer, 'address'),
    `\`${address}\` is not a plain path; it begins with /, has no parameters, and its query is in the ws binding`,
  )
}

function readReplies(operations: readonly SocketOperation[]): Record<string, string[]> {
  const replies: Record<string, string[]> = {}
  for (const operation of operations) {
    if (operation.replies.length === 0) continue
    for (const { key } of operation.messages) {
      const answers = operation.replies.map((reply) => reply.key)
      replies[key] = [...new Set([...(replies[key] ?? []), ...answers])]
    }
  }
  return replies
}
