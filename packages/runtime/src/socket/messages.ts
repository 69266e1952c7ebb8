import { accepts, check, listIssues } from '../core/check.ts'
import type { ChannelDescriptor, MessageDescriptor } from '../core/descriptors.ts'
import { ContractDriftError, type Issue, OptionsError, RequestInvalidError } from '../core/errors.ts'
import { hasTooManyContainers, MAX_CONTAINERS, readPointer, toJson } from '../core/json.ts'
import type { ClientCore } from '../http/client-state.ts'
import type { Credential } from '../http/credential.ts'
import { notChecked, uncheckedBy, uncheckedError } from '../http/drift.ts'
import { report } from '../http/observe.ts'
import { parsePathTemplate, type PathTemplate } from '../http/path.ts'
import { pickCredentials } from '../http/prepare.ts'
import type { ConnectionBase, Gap, Received } from './connection.ts'
import type { ConnectionSettings } from './settings.ts'

/** A channel prepared for a client, with everything that is the same for each connection. */
export interface ChannelPlan {
  readonly channel: ChannelDescriptor
  /** Scheme, host and port. */
  readonly origin: string
  /** The template of the URL's path, with placeholders for the parameters of the channel's address. */
  readonly template: PathTemplate
  readonly credentials: readonly Credential[]
  readonly sends: ReadonlyMap<string, MessagePlan>
  readonly receives: Recognizer
  /**
   * Uses tags (see `MessageDescriptor.tags`) to recognize a message that was passed to `sendText` or `sendJson`.
   * Returns the message's key in the contract. Considers only messages for which the contract defines a reply or
   * requires a replay.
   */
  keyOfRawMessage(text: string): string | undefined
}

export interface MessagePlan {
  readonly key: string
  readonly descriptor: MessageDescriptor
}

type Messages = Readonly<Record<string, MessageDescriptor>>

/** @throws OptionsError if the client's options lack the channel's server or a credential for the channel. */
export function planChannel(core: ClientCore, channel: ChannelDescriptor): ChannelPlan {
  const server = core.servers.get(channel.server)
  if (server === undefined) {
    throw new OptionsError(
      `servers.${channel.server}`,
      `is missing; the channel \`${channel.id}\` needs it.`,
      'Pass the base URL of this server.',
    )
  }
  return {
    channel,
    // http becomes ws, and https wss (RFC 6455, section 3).
    origin: server.origin.replace(/^http/, 'ws'),
    template: parsePathTemplate(server.prefix, channel.address),
    credentials: pickCredentials(core, channel),
    sends: planMessages(channel.sends),
    receives: new Recognizer(channel.receives),
    keyOfRawMessage: rawRecognizer(channel),
  }
}

/** Leaves out messages without tags, because any JSON would match them. */
function rawRecognizer({ sends, replies, rules }: ChannelDescriptor): ChannelPlan['keyOfRawMessage'] {
  const keys = new Set([...Object.keys(replies), ...(rules.replay ?? [])])
  const tagged = Object.entries(sends).filter(([key, { tags }]) => tags.length > 0 && keys.has(key))
  const recognizer = new Recognizer(Object.fromEntries(tagged))
  return (text) => {
    if (tagged.length === 0) return undefined
    try {
      return recognizer.json(JSON.parse(text))?.key
    } catch {
      return undefined
    }
  }
}

export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function planMessages(messages: Messages): ReadonlyMap<string, MessagePlan> {
  return new Map(Object.entries(messages).map(([key, descriptor]) => [key, { key, descriptor }]))
}

/** Finds out which of the contract's messages a value matches. */
export class Recognizer {
  readonly binary: MessagePlan | undefined
  readonly text: MessagePlan | undefined
  readonly #tagged: readonly MessagePlan[]
  readonly #untagged: readonly MessagePlan[]
  /** The property whose value identifies a tagged message, if one property is enough for all of them. */
  readonly #property: string | undefined
  readonly #byValue = new Map<unknown, MessagePlan>()

  constructor(messages: Messages) {
    const plans = [...planMessages(messages).values()]
    const json = plans.filter(({ descriptor }) => descriptor.kind === 'json')
    this.binary = plans.find(({ descriptor }) => descriptor.kind === 'binary')
    this.text = plans.find(({ descriptor }) => descriptor.kind === 'text')
    this.#tagged = json.filter(({ descriptor }) => descriptor.tags.length > 0)
    this.#untagged = json.filter(({ descriptor }) => descriptor.tags.length === 0)
    this.#property = commonProperty(this.#tagged)
    if (this.#property === undefined) return
    for (const plan of this.#tagged) {
      const value = plan.descriptor.tags[0]?.equals
      if (!this.#byValue.has(value)) this.#byValue.set(value, plan)
    }
  }

  json(value: unknown): MessagePlan | undefined {
    const tagged = this.#property === undefined ? this.#search(value) : this.#lookUp(this.#property, value)
    if (tagged !== undefined) return tagged
    if (this.#untagged.length < 2) return this.#untagged[0]
    return this.#untagged.find((plan) => fits(plan, value))
  }

  #lookUp(property: string, value: unknown): MessagePlan | undefined {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, property)) return undefined
    return this.#byValue.get((value as Record<string, unknown>)[property])
  }

  #search(value: unknown): MessagePlan | undefined {
    return this.#tagged.find(({ descriptor }) =>
      descriptor.tags.every(({ pointer, equals }) => readPointer(value, pointer) === equals),
    )
  }
}

function commonProperty(tagged: readonly MessagePlan[]): string | undefined {
  const pointers = new Set(tagged.flatMap(({ descriptor }) => descriptor.tags.map(({ pointer }) => pointer)))
  const [pointer = ''] = pointers
  const single = pointers.size === 1 && tagged.every(({ descriptor }) => descriptor.tags.length === 1)
  return single && /^\/[^/~]+$/.test(pointer) ? pointer.slice(1) : undefined
}

function fits({ descriptor }: MessagePlan, value: unknown): boolean {
  // A value that can't be checked synchronously counts as a match.
  return descriptor.check === undefined || (accepts(descriptor.check, value) ?? true)
}

/** A received message that has not been read yet, or a gap between connections. */
export type Entry = MessageEntry | GapEntry

/** A received message, decoded but not yet checked. */
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
/** The status of a successful handshake. Drift reports need a status, so those about socket messages use this one. */
const SWITCHING_PROTOCOLS = 101

/** Decodes a received frame. The message is checked later, when it is read. */
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

/** `JSON.parse` rejects a byte order mark. */
function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}

interface MessageContext {
  readonly core: ClientCore
  readonly plan: ChannelPlan
  readonly settings: ConnectionSettings
}

/** Returns a message without checking it, for the caller's functions, such as `finalError`. */
export function unchecked({ plan, data }: MessageEntry): Received<ChannelDescriptor> {
  return toReceived(plan, data)
}

/** Checks an entry and returns the item for the reader. @throws ContractDriftError with `validate: 'enforce'` */
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
      if (validate === 'enforce') throw uncheckedError(channel.id, `the message \`${plan.key}\``, data, cause)
      return judgeIssues(context, plan, data, [notChecked(cause)])
    },
  )
}

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
      `${id}: the received message \`${plan.key}\` doesn't match the contract. ${listIssues(issues)}. The connection is still ` +
        "open: keep reading, or connect with `validate: 'report'` to get the data as received.",
      issues,
      data,
      { operation: id },
    )
  }
  report(core, `${id}.${plan.key}`, SWITCHING_PROTOCOLS, issues)
  return toReceived(plan, data)
}

/** Doesn't quote the message, because any part of it may be secret. */
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
 * Checks a message and encodes it as a frame. Returns a promise if the message's schema has to be loaded first, or if
 * the check is asynchronous.
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
    throw unusable(
      channel,
      `\`${message}\` is not a message that a client can send`,
      `Valid messages: ${known}.`,
    )
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
    `${id}: the message \`${message}\` doesn't match the contract, so it was not sent. ${listIssues(issues)}`,
    issues,
    { operation: id },
  )
}

/**
 * @throws RequestInvalidError if `bytes` isn't a Uint8Array. Without this check, a string would be sent as text, and
 * the size of a Float32Array would be wrong, because its `length` isn't in bytes.
 */
export function checkBytes(channel: ChannelDescriptor, bytes: unknown): void {
  if (!(bytes instanceof Uint8Array))
    throw unusable(
      channel,
      'a binary message must be a Uint8Array',
      'If you have an ArrayBuffer, a DataView or another typed array, create a Uint8Array from the same bytes.',
    )
}

/** @throws RequestInvalidError */
export function checkText(channel: ChannelDescriptor, text: unknown): string {
  if (typeof text === 'string') return text
  throw unusable(channel, 'a text message must be a string', 'Convert the value to JSON, or use `sendJson`.')
}

/** @throws RequestInvalidError */
export function rawJson(channel: ChannelDescriptor, value: unknown): string {
  const text = toJson(value)
  if (typeof text === 'string') return text
  throw unusable(channel, `the message ${text.reason}`, 'Pass a value that JSON can represent.')
}

/**
 * @throws RequestInvalidError if `source` isn't an iterable object, or if it is a single chunk, which would yield
 * numbers.
 */
export function checkSource(channel: ChannelDescriptor, source: unknown): void {
  const isObject = typeof source === 'object' && source !== null && !ArrayBuffer.isView(source)
  if (!isObject || !(Symbol.asyncIterator in source || Symbol.iterator in source))
    throw unusable(
      channel,
      'a source must be an iterable of Uint8Arrays, not a string or a single chunk',
      'To send a file, pass `createReadStream(path)`; to send one chunk, pass `[chunk]`.',
    )
}

function unusable({ id }: ChannelDescriptor, reason: string, remedy: string): RequestInvalidError {
  const message = `${id}: ${reason}; nothing was sent. ${remedy}`
  return new RequestInvalidError(message, [{ path: '', reason }], { operation: id })
}
