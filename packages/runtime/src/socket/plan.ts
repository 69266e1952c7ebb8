import type { ChannelDescriptor, MessageDescriptor } from '../core/descriptors.ts'
import { accepts } from '../core/check.ts'
import { OptionsError } from '../core/errors.ts'
import { readPointer } from '../core/json.ts'
import type { ClientCore } from '../http/client-state.ts'
import type { Credential } from '../http/credential.ts'
import { parsePathTemplate, type PathTemplate } from '../http/path.ts'
import { pickCredentials } from '../http/prepare.ts'

/** A channel prepared for one client: everything that is the same for each connection. */
export interface ChannelPlan {
  readonly channel: ChannelDescriptor
  /** Scheme, host and port. */
  readonly origin: string
  /** The path, with the parameters of the address. */
  readonly template: PathTemplate
  readonly credentials: readonly Credential[]
  readonly sends: ReadonlyMap<string, MessagePlan>
  readonly receives: Recognizer
  /** Returns the contract's key for a raw text message, if a tag identifies it and it has a reply or is replayed. */
  keyOfRawMessage(text: string): string | undefined
}

/** A message descriptor with its key. */
export interface MessagePlan {
  readonly key: string
  readonly descriptor: MessageDescriptor
}

type Messages = Readonly<Record<string, MessageDescriptor>>

/** @throws OptionsError when the client lacks the server or a credential for the channel. */
export function planChannel(core: ClientCore, channel: ChannelDescriptor): ChannelPlan {
  const server = core.servers.get(channel.server)
  if (server === undefined) {
    throw new OptionsError(
      `servers.${channel.server}`,
      `is missing: it is the address at which ${channel.id} is opened.`,
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

/** Untagged messages are left out, because any text would match them. */
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

function planMessages(messages: Messages): ReadonlyMap<string, MessagePlan> {
  return new Map(Object.entries(messages).map(([key, descriptor]) => [key, { key, descriptor }]))
}

/** Finds the message of the contract that a value matches. */
export class Recognizer {
  /** The binary message of the channel, if it has one. */
  readonly binary: MessagePlan | undefined
  /** The text message of the channel that isn't JSON, if it has one. */
  readonly text: MessagePlan | undefined
  readonly #tagged: readonly MessagePlan[]
  readonly #untagged: readonly MessagePlan[]
  /** The usual case: one property distinguishes all tagged messages. */
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
  // A message whose check is asynchronous counts as a match.
  return descriptor.check === undefined || (accepts(descriptor.check, value) ?? true)
}
