import type { ChannelDescriptor } from '../core/channel.ts'
import { check, listIssues } from '../core/check.ts'
import { type Issue, RequestInvalidError } from '../core/errors.ts'
import type { MessagePlan } from './messages.ts'
import type { ChannelPlan } from './plan.ts'

/** Checks a message and writes it as a frame. The answer is a promise only when the schema's is. @throws RequestInvalidError */
export function toFrame(
  plan: ChannelPlan,
  message: string,
  payload: unknown,
): string | Uint8Array | Promise<string | Uint8Array> {
  const { channel } = plan
  const found = plan.sends.get(message)
  if (found === undefined) {
    const known = [...plan.sends.keys()].join(', ') || 'none'
    throw invalid(channel, message, [
      { path: '', reason: `is no message of this channel; there are: ${known}` },
    ])
  }
  if (found.schema === undefined || found.accepts?.(payload) === true) return write(channel, found, payload)
  const issues = check(found.schema, payload, channel.secrets)
  if (issues instanceof Promise) {
    return issues.then((settled) => {
      if (settled !== undefined) throw invalid(channel, message, settled)
      return write(channel, found, payload)
    })
  }
  if (issues !== undefined) throw invalid(channel, message, issues)
  return write(channel, found, payload)
}

function write(
  channel: ChannelDescriptor,
  { key, descriptor }: MessagePlan,
  payload: unknown,
): string | Uint8Array {
  if (descriptor.kind === 'binary') {
    if (payload instanceof Uint8Array) return payload
    throw invalid(channel, key, [{ path: '', reason: 'must be a Uint8Array' }])
  }
  let text: string | undefined
  try {
    text = JSON.stringify(payload) as string | undefined
  } catch {
    // A cycle, or a bigint.
  }
  if (text !== undefined) return text
  throw invalid(channel, key, [{ path: '', reason: 'cannot be written as JSON' }])
}

function invalid({ id }: ChannelDescriptor, message: string, issues: readonly Issue[]): RequestInvalidError {
  return new RequestInvalidError(
    `${id}: the message ${message} is not what the contract says; it was not sent. ${listIssues(issues)}`,
    issues,
    { operation: id },
  )
}
