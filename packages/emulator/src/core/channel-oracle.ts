import type { Channel, ChannelMessage, ChannelSpecification } from './channels.ts'
import type { Mismatch } from './errors.ts'
import { isObject } from './json.ts'

export type Reading =
  | { message: ChannelMessage; payload: unknown; mismatches?: undefined }
  | { message?: undefined; mismatches: Mismatch[] }

export function judgeHandshake(
  { judge, convert, propertiesOf }: ChannelSpecification,
  channel: Channel,
  query: URLSearchParams,
): Mismatch[] {
  const names = new Set(query.keys())
  if (channel.query === undefined)
    return [...names].map((name) => ({ path: `query/${name}`, reason: 'is not accepted on this channel' }))
  const properties = new Map(Object.entries(propertiesOf(channel.query.schema)))
  const values: Record<string, unknown> = Object.create(null)
  for (const name of names) {
    const all = query.getAll(name).map((text) => convert(text, properties.get(name)))
    values[name] = all.length === 1 ? all[0] : all
  }
  return judge(channel.query, values, 'query')
}

/** Identifies the message that a client's frame contains. */
export function readFrame(
  { judge }: ChannelSpecification,
  channel: Channel,
  frame: string | Uint8Array,
): Reading {
  if (typeof frame !== 'string') {
    const message = channel.fromClient.find(({ frame: kind }) => kind === 'binary')
    return message ? { message, payload: frame } : reject('frame', 'must not be binary on this channel')
  }
  const candidates = channel.fromClient.filter(({ frame: kind }) => kind === 'text')
  if (candidates.length === 0) return reject('frame', 'must be binary on this channel')
  let payload: unknown
  try {
    payload = JSON.parse(frame)
  } catch {
    return reject('frame', 'must be JSON')
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
  return mismatches
    ? { mismatches }
    : reject('message', `must match one of these messages of the contract: ${listKeys(candidates)}`)
}

export function judgeSent(
  { judge }: ChannelSpecification,
  channel: Channel,
  key: string,
  payload: unknown,
): { message?: ChannelMessage; mismatches: Mismatch[] } {
  const message = channel.toClient.find((candidate) => candidate.key === key)
  if (!message) return reject('message', `must be one of ${listKeys(channel.toClient)}, not \`${key}\``)
  if (message.frame === 'binary')
    return payload instanceof Uint8Array ? { message, mismatches: [] } : reject('frame', 'must be bytes')
  return { message, mismatches: judge(message.schema, payload, 'message') }
}

function reject(path: string, reason: string): { mismatches: Mismatch[] } {
  return { mismatches: [{ path, reason }] }
}

function listKeys(messages: readonly ChannelMessage[]): string {
  return messages.map(({ key }) => `\`${key}\``).join(', ')
}
