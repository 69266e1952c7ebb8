import type { Channel, ChannelMessage, ChannelSpecification } from './channels.ts'
import type { Mismatch } from './errors.ts'
import { isObject } from './json.ts'
import { convert } from './oracle.ts'

/** A frame judged by the contract: a message, or the mismatches. */
export type Reading =
  | { message: ChannelMessage; payload: unknown; mismatches?: undefined }
  | { message?: undefined; mismatches: Mismatch[] }

/** Judges the query of a handshake. */
export function judgeHandshake(
  { judge }: ChannelSpecification,
  channel: Channel,
  query: URLSearchParams,
): Mismatch[] {
  const names = new Set(query.keys())
  // Where the contract describes no query, the channel takes none.
  if (channel.query === undefined)
    return [...names].map((name) => ({ path: `query/${name}`, reason: 'is not taken on this channel' }))
  const values: Record<string, unknown> = Object.create(null)
  for (const name of names) {
    const types = Object.hasOwn(channel.queryTypes, name) ? (channel.queryTypes[name] ?? []) : []
    const all = query.getAll(name).map((text) => convert(text, types))
    values[name] = all.length === 1 ? all[0] : all
  }
  return judge(channel.query, values, 'query')
}

/** Finds out which message of the channel a frame of the client is. */
export function readFrame(
  { judge }: ChannelSpecification,
  channel: Channel,
  frame: string | Uint8Array,
): Reading {
  if (typeof frame !== 'string') {
    const message = channel.takes.find(({ kind }) => kind === 'binary')
    return message ? { message, payload: frame } : deny('frame', 'must not be binary on this channel')
  }
  const candidates = channel.takes.filter(({ kind }) => kind === 'json')
  if (candidates.length === 0) return deny('frame', 'must be binary on this channel')
  let payload: unknown
  try {
    payload = JSON.parse(frame)
  } catch {
    return deny('frame', 'must be JSON')
  }
  const tagged = candidates.filter(({ tags }) =>
    tags.every(({ name, equals }) => isObject(payload) && payload[name] === equals),
  )
  let mismatches: Mismatch[] | undefined
  for (const message of tagged) {
    const found = judge(message.schema, payload, 'message')
    if (found.length === 0) return { message, payload }
    mismatches ??= found
  }
  return mismatches ? { mismatches } : deny('message', `must be one of ${listKeys(candidates)}`)
}

/** Judges a message that is about to be sent to the client. */
export function judgeGiven(
  { judge }: ChannelSpecification,
  channel: Channel,
  key: string,
  payload: unknown,
): { message?: ChannelMessage; mismatches: Mismatch[] } {
  const message = channel.gives.find((candidate) => candidate.key === key)
  if (!message) return deny('message', `must be one of ${listKeys(channel.gives)}, not ${key}`)
  if (message.kind === 'binary')
    return payload instanceof Uint8Array ? { message, mismatches: [] } : deny('frame', 'must be bytes')
  return { message, mismatches: judge(message.schema, payload, 'message') }
}

function deny(path: string, reason: string): { mismatches: Mismatch[] } {
  return { mismatches: [{ path, reason }] }
}

function listKeys(messages: readonly ChannelMessage[]): string {
  return messages.map(({ key }) => key).join(', ')
}
