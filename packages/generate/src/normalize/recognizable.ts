import type { Contract } from '../read/contract.ts'
import type { Json } from '../read/json.ts'
import { areDisjoint } from './disjoint.ts'
import type { MessageModel } from './model.ts'
import { compareTags } from './tags.ts'
import { unionOf } from './union.ts'

/** A message with its place and its payload in the contract. */
interface PlacedMessage {
  readonly message: MessageModel
  readonly pointer: string
  readonly payload: Json
}

/** Received messages that a client can distinguish from each other. */
export interface Recognizable {
  readonly messages: readonly MessageModel[]
  /** For each message that is received as part of a union, the key of the union. */
  readonly keys: ReadonlyMap<string, string>
}

interface Group {
  readonly all: readonly PlacedMessage[]
  readonly message: MessageModel
  readonly payload: Json
}

/**
 * Makes received messages distinguishable. Messages that a client couldn't distinguish become one message, with the
 * union of their types.
 *
 * @param name The name of the type of a union.
 */
export function recognizable(
  contract: Contract,
  messages: readonly PlacedMessage[],
  name: (key: string) => string,
): Recognizable {
  let groups: Group[] = []
  for (const placed of messages) {
    let group: Group = { all: [placed], message: placed.message, payload: placed.payload }
    // A union has fewer tags than its messages, so it may be indistinguishable from another message that they differed from.
    for (;;) {
      const current = group
      const alike = groups.find((other) => !isRecognizable(contract, other, current))
      if (!alike) break
      if (contract.isStrict) {
        for (const other of groups)
          if (!isRecognizable(contract, other, current)) report(contract, other, current)
        break
      }
      groups = groups.filter((other) => other !== alike)
      report(contract, alike, current)
      group = joined([...alike.all, ...current.all])
    }
    groups.push(group)
  }
  const keys = new Map<string, string>()
  const received = groups.map((group) => {
    if (group.all.length === 1) return group.message
    const { key } = group.message
    for (const { message } of group.all) keys.set(message.key, key)
    const types = group.all.map(({ message }) => message.type)
    if (types.includes(undefined)) return group.message
    const names = group.all.map(({ message }) => `\`${message.key}\``).join(' or ')
    const union = { ...unionOf(types), description: `${names}: nothing in them tells which one it is.` }
    return {
      ...group.message,
      type: contract.define(name(key), union, group.all[0]?.pointer ?? '#'),
    }
  })
  return { messages: inOrderOfTrial(received), keys }
}

/** Sorts messages by their number of tags. Those with more tags are tried first. */
function inOrderOfTrial(messages: readonly MessageModel[]): MessageModel[] {
  return messages.toSorted((first, second) => second.tags.length - first.tags.length)
}

function isRecognizable(contract: Contract, one: Group, other: Group): boolean {
  if (one.message.kind !== other.message.kind) return true
  const verdict = compareTags(one.message.tags, other.message.tags)
  if (verdict !== 'the same' && verdict !== 'unclear') return true
  // A message without tags is recognized by its schema.
  const hasTags = one.message.tags.length > 0 || one.message.kind !== 'json'
  return !hasTags && areDisjoint(one.payload, other.payload, (raw) => contract.resolve(raw))
}

function joined(all: readonly PlacedMessage[]): Group {
  const [first, ...others] = all.map(({ message }) => message)
  if (!first) throw new Error('a group has messages')
  const key =
    others.length < 3
      ? [first, ...others].map(({ key: each }, at) => (at === 0 ? each : capitalized(each))).join('Or')
      : `${first.key}OrOthers`
  const { correlation: _, ...rest } = first
  const isShared = others.every(({ correlation }) => correlation === first.correlation)
  const message: MessageModel = {
    ...rest,
    ...(isShared && first.correlation !== undefined ? { correlation: first.correlation } : {}),
    key,
    type: undefined,
    doc: undefined,
    tags: first.tags.filter((tag) =>
      others.every(({ tags }) =>
        tags.some(({ pointer, equals }) => pointer === tag.pointer && equals === tag.equals),
      ),
    ),
  }
  return { all, message, payload: { anyOf: all.map(({ payload }) => payload) } }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function report(contract: Contract, one: Group, other: Group): void {
  const last = other.all.at(-1) ?? one.all[0]
  if (!last) return
  const [first, second] = [one.all[0]?.message.key, last.message.key]
  contract.widen(
    last.pointer,
    one.message.kind === 'binary'
      ? `\`${first}\` and \`${second}\` are both binary, and a client cannot tell them apart; they are received as one`
      : `a client could not tell \`${first}\` and \`${second}\` apart, and receives them as one; ` +
          'add a required property with a different const to both',
  )
}
