import { check, listIssues } from '../core/check.ts'
import { ContractDriftError, type Issue, RequestInvalidError } from '../core/errors.ts'
import type { ChannelDescriptor } from '../core/descriptors.ts'
import { hasTooManyContainers, MAX_CONTAINERS, toJson } from '../core/json.ts'
import type { ClientCore } from '../http/client-state.ts'
import { report } from '../http/observe.ts'
import { notChecked, uncheckedBy, uncheckedError } from '../http/drift.ts'
import type { ConnectionBase, Gap, Received } from './connection.ts'
import type { ConnectionSettings } from './settings.ts'
import type { ChannelPlan, MessagePlan } from './plan.ts'

/** Something received that was not read yet. */
export type Entry = MessageEntry | GapEntry

/** A message as it arrived: decoded, but not yet checked. */
export interface MessageEntry {
  /** Undefined for messages that the contract doesn't define. */
  readonly plan: MessagePlan | undefined
  readonly data: unknown
  readonly sizeBytes: number
  /** Undefined on the first connection. */
  readonly base: ConnectionBase | undefined
}

interface GapEntry {
  readonly gap: Gap
  readonly sizeBytes: number
}

const BYTE_ORDER_MARK = 0xfeff
/** The status of a successful handshake; drift on a socket is reported under it. */
const SWITCHING_PROTOCOLS = 101

/** Reads a frame as a message: recognized when it arrives, checked when it is read. */
export function decode(
  { receives }: ChannelPlan,
  data: string | Uint8Array,
  base: ConnectionBase | undefined,
): MessageEntry {
  const sizeBytes = data.length
  if (typeof data !== 'string') return { plan: receives.binary, data, sizeBytes, base }
  const { text } = receives
  const asText = { plan: text, data, sizeBytes, base }
  if (hasTooManyContainers(data)) return asText
  let value: unknown
  try {
    value = JSON.parse(withoutByteOrderMark(data))
  } catch {
    return asText
  }
  const plan = receives.json(value)
  return plan === undefined && text !== undefined ? asText : { plan, data: value, sizeBytes, base }
}

/** As in HTTP bodies, a byte order mark before JSON means nothing. */
function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}

interface MessageContext {
  readonly core: ClientCore
  readonly plan: ChannelPlan
  readonly settings: ConnectionSettings
}

/** Returns a message unchecked, for the caller's predicates. */
export function unchecked({ plan, data }: MessageEntry): Received<ChannelDescriptor> {
  return toReceived(plan, data)
}

/** Turns an entry into what the reader gets. @throws ContractDriftError when checks are enforced. */
export function checked(
  context: MessageContext,
  entry: Entry,
): Received<ChannelDescriptor> | Promise<Received<ChannelDescriptor>> {
  if ('gap' in entry) return { type: 'reconnected', message: undefined, data: entry.gap }
  const { plan, base } = entry
  const { channel } = context.plan
  const { rebase, validate } = context.settings
  const data = base === undefined || rebase === undefined ? entry.data : rebase(entry.data, base)
  if (plan === undefined) {
    if (validate !== 'off') reportUnknown(context, data)
    return toReceived(plan, data)
  }
  const descriptor = plan.descriptor.check
  if (validate === 'off' || descriptor === undefined) return toReceived(plan, data)
  const found = check(descriptor, data, channel)
  if (found === undefined) return toReceived(plan, data)
  return found.then(
    (issues) => judgeIssues(context, plan, data, issues),
    (error: unknown) => {
      const cause = uncheckedBy(error)
      if (validate === 'enforce') throw uncheckedError(channel.id, `the message ${plan.key}`, data, cause)
      return judgeIssues(context, plan, data, [notChecked(cause)])
    },
  )
}

/** Returns the message, and reports its issues, if any. @throws ContractDriftError when checks are enforced. */
function judgeIssues(
  { core, plan: { channel }, settings }: MessageContext,
  plan: MessagePlan,
  data: unknown,
  issues: readonly Issue[] | undefined,
): Received<ChannelDescriptor> {
  if (issues === undefined) return toReceived(plan, data)
  const { id } = channel
  if (settings.validate === 'enforce') {
    throw new ContractDriftError(
      `${id}: the message ${plan.key} doesn't match the contract. ${listIssues(issues)}. The connection is ` +
        "still open: read on for what follows, or connect with validate: 'report' to get the data as received.",
      issues,
      data,
      { operation: id },
    )
  }
  report(core, `${id}.${plan.key}`, SWITCHING_PROTOCOLS, issues)
  return toReceived(plan, data)
}

/** The message itself isn't quoted, because it is unknown which parts of it are secret. */
function reportUnknown({ core, plan }: MessageContext, data: unknown): void {
  report(core, plan.channel.id, SWITCHING_PROTOCOLS, [{ path: '', reason: unknownReason(data) }])
}

function unknownReason(data: unknown): string {
  if (data instanceof Uint8Array) return "a binary message that the contract doesn't define"
  if (typeof data !== 'string') return "a JSON message that the contract doesn't define"
  return hasTooManyContainers(data)
    ? `a message with more than ${MAX_CONTAINERS} objects and arrays, so it was not parsed`
    : "a text message that the contract doesn't define"
}

function toReceived(plan: MessagePlan | undefined, data: unknown): Received<ChannelDescriptor> {
  if (plan === undefined) return { type: 'unknown', message: undefined, data }
  return { type: 'message', message: plan.key, data } as unknown as Received<ChannelDescriptor>
}

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
  if (issues === undefined) return write(channel, found, payload)
  return issues.then((settled) => {
    if (settled !== undefined) throw invalid(channel, message, settled)
    return write(channel, found, payload)
  })
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
  if (descriptor.kind === 'text') {
    if (typeof payload === 'string') return payload
    throw invalid(channel, key, [{ path: '', reason: 'must be a string' }])
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

/** @throws RequestInvalidError for anything but bytes: a string would be sent as text, other views with a wrong length. */
export function checkBytes(channel: ChannelDescriptor, bytes: unknown): void {
  if (!(bytes instanceof Uint8Array))
    throw unusable(
      channel,
      'a binary message must be a Uint8Array',
      'Create one from the ArrayBuffer or view.',
    )
}

/** @throws RequestInvalidError */
export function checkText(channel: ChannelDescriptor, text: unknown): string {
  if (typeof text === 'string') return text
  throw unusable(channel, 'a text message must be a string', 'Write it as JSON, or use sendJson.')
}

/** Returns a value as JSON. @throws RequestInvalidError */
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
      'a source must be an iterable of Uint8Arrays, not a string or a single chunk',
      'To send a file, pass createReadStream(path); to send one chunk, pass [chunk].',
    )
}

function unusable({ id }: ChannelDescriptor, reason: string, remedy: string): RequestInvalidError {
  const message = `${id}: ${reason}; nothing was sent. ${remedy}`
  return new RequestInvalidError(message, [{ path: '', reason }], { operation: id })
}
