import { isPromise } from '../core/async.ts'
import type { ChannelDescriptor } from '../core/channel.ts'
import { check, listIssues } from '../core/check.ts'
import { type Issue, RequestInvalidError } from '../core/errors.ts'
import { toJson } from '../core/json.ts'
import type { ChannelPlan, MessagePlan } from './plan.ts'

/**
 * Checks a message and writes it as a frame. Returns a promise if its schema has to be loaded or is asynchronous.
 *
 * @throws RequestInvalidError
 */
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
      { path: '', reason: `isn't a message of this channel; valid messages: ${known}` },
    ])
  }
  const descriptor = found.descriptor.check
  if (descriptor === undefined) return write(channel, found, payload)
  const issues = check(descriptor, payload, channel)
  if (isPromise(issues)) {
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
  const text = toJson(payload)
  if (typeof text === 'string') return text
  throw invalid(channel, key, [{ path: '', ...text }])
}

function invalid({ id }: ChannelDescriptor, message: string, issues: readonly Issue[]): RequestInvalidError {
  return new RequestInvalidError(
    `${id}: the message ${message} doesn't match the contract; it was not sent. ${listIssues(issues)}`,
    issues,
    { operation: id },
  )
}

/** @throws RequestInvalidError for anything but bytes: a string would go out as text, other views with a wrong length. */
export function checkBytes(channel: ChannelDescriptor, bytes: unknown): void {
  if (!(bytes instanceof Uint8Array))
    throw unusable(
      channel,
      'a binary message must be a Uint8Array',
      'Make one from an ArrayBuffer or a view.',
    )
}

/** @throws RequestInvalidError */
export function checkText(channel: ChannelDescriptor, text: unknown): string {
  if (typeof text === 'string') return text
  throw unusable(channel, 'a text message must be a string', 'Write it as JSON, or use sendJson.')
}

/** A value as JSON. @throws RequestInvalidError */
export function rawJson(channel: ChannelDescriptor, value: unknown): string {
  const text = toJson(value)
  if (typeof text === 'string') return text
  throw unusable(channel, `the message ${text.reason}`, 'Send a value that JSON can express.')
}

/** @throws RequestInvalidError, also for a single chunk, which would be read number by number. */
export function checkSource(channel: ChannelDescriptor, source: unknown): void {
  const isObject = typeof source === 'object' && source !== null && !ArrayBuffer.isView(source)
  if (!isObject || !(Symbol.asyncIterator in source || Symbol.iterator in source))
    throw unusable(
      channel,
      'a source must be an iterable of chunks',
      'Pass an iterable, or send a single chunk with sendBinary.',
    )
}

function unusable({ id }: ChannelDescriptor, reason: string, remedy: string): RequestInvalidError {
  const message = `${id}: ${reason}; nothing was sent. ${remedy}`
  return new RequestInvalidError(message, [{ path: '', reason }], { operation: id })
}
