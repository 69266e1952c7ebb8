import {
  arrayOf,
  atPointer,
  escapeToken,
  isObject,
  objectOf,
  type SchemaOracle,
  type SocketChannel,
  type SocketMessage,
} from '@concord/spec-model'
import { type Finding, finding } from '../../http/exchange.ts'

/** A WebSocket message as it was on the wire. */
export interface Frame {
  readonly binary: boolean
  readonly data: Uint8Array
}

/** The direction of a frame, from the client's point of view. @public */
export type FrameDirection = 'sent' | 'received'

/** `message` is the documented message that the frame matches. */
export interface FrameVerdict {
  readonly message?: SocketMessage
  /** The JSON value of a text frame; absent if the frame isn't JSON. */
  readonly value?: unknown
  readonly findings: readonly Finding[]
}

/** Checks a frame against the messages of its channel. The findings contain no values from the frame. */
export function judgeFrame(
  oracle: SchemaOracle,
  channel: SocketChannel,
  direction: FrameDirection,
  frame: Frame,
): FrameVerdict {
  const messages = direction === 'sent' ? channel.sends : channel.receives
  const kind = frame.binary ? 'binary' : 'text'
  const possible = messages.filter((one) => one.frame === kind)
  const at = `${direction}.${kind}`
  if (frame.binary) {
    const [message] = possible
    if (!message)
      return rejected(
        'frame',
        at,
        `clients ${direction === 'sent' ? 'send' : 'receive'} no binary messages on this channel`,
      )
    if (frame.data.length > 0) return { message, findings: [] }
    return { message, findings: [finding('rule', at, 'a binary frame must not be empty')] }
  }
  const plain = possible.find((one) => one.plain)
  const read = parse(frame.data)
  if (!read) return plain ? { message: plain, findings: [] } : rejected('message', at, 'is not JSON')
  const { value } = read
  const tagged = possible.filter((one) => tagsOf(oracle, one).length > 0)
  const untagged = possible.filter((one) => tagsOf(oracle, one).length === 0)
  const message =
    tagged.find((one) => hasTags(oracle, one, value)) ??
    untagged.find(({ schema }) => schema === undefined || oracle.accepts(schema, value)) ??
    untagged[0] ??
    (possible.length === 1 ? possible[0] : undefined)
  if (!message) {
    const other = (direction === 'sent' ? channel.receives : channel.sends).find(
      (one) => one.frame === 'text' && tagsOf(oracle, one).length > 0 && hasTags(oracle, one, value),
    )
    const why = other
      ? `only ${direction === 'sent' ? 'the server sends' : 'clients send'} \`${other.key}\``
      : `matches no message that clients ${direction === 'sent' ? 'send' : 'receive'}`
    return { value, findings: [finding('message', at, why)] }
  }
  const issues = message.schema ? oracle.judge(message.schema, value) : []
  return {
    message,
    value,
    findings: issues.map(({ path, reason }) =>
      finding('message', `${direction}.${message.key}${path}`, reason),
    ),
  }
}

export function parse(data: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data)) }
  } catch {
    return undefined
  }
}

interface Tag {
  readonly pointer: string
  readonly equals: unknown
}

/** Returns the values by which a message is recognized: the `const` values of its required properties. */
function tagsOf(oracle: SchemaOracle, message: SocketMessage): readonly Tag[] {
  const schema = objectOf(oracle.deref(message.schema?.schema))
  const required = arrayOf(schema['required'])
  return Object.entries(objectOf(schema['properties'])).flatMap(([name, property]): Tag[] => {
    const resolved = oracle.deref(property)
    return required.includes(name) && isObject(resolved) && 'const' in resolved
      ? [{ pointer: `/${escapeToken(name)}`, equals: resolved['const'] }]
      : []
  })
}

export function isTagged(oracle: SchemaOracle, message: SocketMessage): boolean {
  return tagsOf(oracle, message).length > 0
}

/** Returns whether a frame's value has all `const` values by which a message is recognized. */
export function hasTags(oracle: SchemaOracle, message: SocketMessage, value: unknown): boolean {
  return tagsOf(oracle, message).every(({ pointer, equals }) => atPointer(value, pointer) === equals)
}

function rejected(code: 'frame' | 'message', at: string, message: string): FrameVerdict {
  return { findings: [{ code, at, message }] }
}
