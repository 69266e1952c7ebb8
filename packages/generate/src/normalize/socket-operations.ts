import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import { aboutText } from './docs.ts'
import { type WithTraits, withTraits } from './traits.ts'

/** One operation of an AsyncAPI document, seen from the client. */
export interface SocketOperation {
  readonly pointer: string
  /** The key of its channel. */
  readonly channel: string
  /** The service receives what the client sends. */
  readonly direction: 'sends' | 'receives'
  /** Keys of messages of the channel. */
  readonly messages: readonly MessageReference[]
  /** Keys of messages of the channel that answer each of these. */
  readonly replies: readonly MessageReference[]
  /** The names of security schemes that it asks for by itself. */
  readonly security: { readonly list: Json; readonly pointer: string } | undefined
  readonly doc: string | undefined
}

/** A message of a channel, by its key, and where it is named. */
export interface MessageReference {
  readonly key: string
  readonly pointer: string
}

const known = new Set([
  'action',
  'channel',
  'description',
  'externalDocs',
  'messages',
  'reply',
  'security',
  'summary',
  'tags',
  'title',
])

/** Reads the operations on the channels that a client opens; `messagesOf` returns the message keys of one of these. */
export function readSocketOperations(
  contract: Contract,
  messagesOf: (channel: string) => readonly string[] | undefined,
): SocketOperation[] {
  const operations = isObject(contract.root['operations']) ? contract.root['operations'] : {}
  return Object.entries(operations).flatMap(([id, entry]) => {
    const { raw, pointer } = contract.follow(entry, childPointer('#/operations', id))
    const channel = isObject(raw) ? channelOf(raw['channel']) : undefined
    const keys = channel === undefined ? undefined : messagesOf(channel)
    if (!isObject(raw) || channel === undefined || keys === undefined) return []
    return [readOperation(contract, withTraits(contract, raw, pointer), pointer, { channel, keys })]
  })
}

/** A channel, and the keys of its messages. */
interface ChannelKeys {
  readonly channel: string
  readonly keys: readonly string[]
}

function readOperation(
  contract: Contract,
  whole: WithTraits,
  pointer: string,
  { channel, keys }: ChannelKeys,
): SocketOperation {
  const { raw, placeOf } = whole
  for (const key of Object.keys(raw)) {
    if (known.has(key) || key.startsWith('x-')) continue
    contract.refuse(placeOf(key), `\`${key}\` of an operation on a channel is not read`)
  }
  const messages = raw['messages']
  const direction = raw['action'] === 'receive' ? 'sends' : 'receives'
  return {
    pointer,
    channel,
    direction,
    messages:
      messages === undefined
        ? keys.map((key) => ({ key, pointer }))
        : readReferences(contract, messages, placeOf('messages'), { channel, keys }),
    replies: readReply(contract, raw['reply'], placeOf('reply'), { channel, keys, direction }),
    security:
      raw['security'] === undefined ? undefined : { list: raw['security'], pointer: placeOf('security') },
    doc: aboutText(raw),
  }
}

function readReply(
  contract: Contract,
  entry: Json | undefined,
  at: string,
  { channel, keys, direction }: ChannelKeys & { readonly direction: string },
): MessageReference[] {
  if (entry === undefined) return []
  const { raw, pointer } = contract.follow(entry, at)
  if (!isObject(raw)) return []
  if (direction === 'receives') {
    contract.refuse(at, 'an answer that the client owes the service is not expressed; describe it')
  }
  if (raw['address'] !== undefined) {
    contract.refuse(
      childPointer(pointer, 'address'),
      'an answer at an address of its own is not expressed; answers come on the connection itself',
    )
  }
  if (raw['channel'] !== undefined && channelOf(raw['channel']) !== channel) {
    contract.refuse(childPointer(pointer, 'channel'), 'an answer on another channel is not expressed')
  }
  if (raw['messages'] === undefined) {
    contract.refuse(pointer, 'name the messages that answer, with `messages`')
    return []
  }
  return readReferences(contract, raw['messages'], childPointer(pointer, 'messages'), { channel, keys })
}

function readReferences(
  contract: Contract,
  list: Json,
  at: string,
  { channel, keys }: ChannelKeys,
): MessageReference[] {
  return (isList(list) ? list : []).flatMap((entry, index) => {
    const pointer = childPointer(at, index)
    const path = pointerSegments(referenceOf(entry))
    const key = path[3]
    const isOwn = path.length === 4 && path[0] === 'channels' && path[1] === channel && path[2] === 'messages'
    if (isOwn && key !== undefined && keys.includes(key)) return [{ key, pointer }]
    contract.refuse(pointer, `refer to a message of the channel itself: #/channels/${channel}/messages/<key>`)
    return []
  })
}

function channelOf(raw: Json | undefined): string | undefined {
  const path = pointerSegments(referenceOf(raw))
  return path.length === 2 && path[0] === 'channels' ? path[1] : undefined
}

function referenceOf(raw: Json | undefined): string {
  const reference = isObject(raw) ? (raw as JsonObject)['$ref'] : undefined
  return typeof reference === 'string' && reference.startsWith('#/') ? reference : '#'
}
