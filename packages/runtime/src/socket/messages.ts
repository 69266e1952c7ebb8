import type { ChannelDescriptor, MessageDescriptor } from '../core/channel.ts'
import { accepts } from '../core/check.ts'
import { readPointer } from '../core/json-pointer.ts'

/** A message descriptor with its key. */
export interface MessagePlan {
  readonly key: string
  readonly descriptor: MessageDescriptor
}

export function planMessages(
  messages: Readonly<Record<string, MessageDescriptor>>,
): ReadonlyMap<string, MessagePlan> {
  return new Map(Object.entries(messages).map(([key, descriptor]) => [key, { key, descriptor }]))
}

/** Tells what a received message is. */
export class Recognizer {
  readonly #binary: MessagePlan | undefined
  readonly #tagged: readonly MessagePlan[]
  readonly #untagged: readonly MessagePlan[]
  /** The usual case: one property tells all tagged messages apart. */
  readonly #property: string | undefined
  readonly #byValue = new Map<unknown, MessagePlan>()

  constructor({ receives }: ChannelDescriptor) {
    const plans = [...planMessages(receives).values()]
    const json = plans.filter(({ descriptor }) => descriptor.kind === 'json')
    this.#binary = plans.find(({ descriptor }) => descriptor.kind === 'binary')
    this.#tagged = json.filter(({ descriptor }) => descriptor.tags.length > 0)
    this.#untagged = json.filter(({ descriptor }) => descriptor.tags.length === 0)
    this.#property = commonProperty(this.#tagged)
    if (this.#property === undefined) return
    for (const plan of this.#tagged) {
      const value = plan.descriptor.tags[0]?.equals
      if (!this.#byValue.has(value)) this.#byValue.set(value, plan)
    }
  }

  /** The binary message of the channel, if it has one. */
  get binary(): MessagePlan | undefined {
    return this.#binary
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
  // One that takes time to judge is taken at its place.
  return descriptor.check === undefined || (accepts(descriptor.check, value) ?? true)
}
