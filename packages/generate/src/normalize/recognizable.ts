import type { ContractNode } from '../read/contract.ts'
import { areDisjoint } from './disjoint.ts'
import type { MessageModel } from './model.ts'
import { pascalCase } from './names.ts'
import { unionOf } from './rules.ts'
import { areDistinct } from './tags.ts'

/** A message, and a node whose value is the schema of the message's payload. */
interface PlacedMessage {
  readonly message: MessageModel
  readonly node: ContractNode
}

/** Received messages that a client can distinguish from each other. */
export interface Recognizable {
  readonly messages: readonly MessageModel[]
  /** For each message that is received as part of a union, the key of the union. */
  readonly keys: ReadonlyMap<string, string>
}

/** A message, or several messages that a client can't distinguish and therefore treats as one message. */
interface Group {
  readonly all: readonly [PlacedMessage, ...PlacedMessage[]]
  readonly message: MessageModel
}

/**
 * Makes received messages distinguishable. Messages that a client couldn't distinguish become one message, with the
 * union of their types.
 *
 * @param name Turns the key of a union into the name of its type.
 */
export function recognizable(
  messages: readonly PlacedMessage[],
  name: (key: string) => string,
): Recognizable {
  let groups: Group[] = []
  for (const placed of messages) {
    const { isStrict } = placed.node.contract
    let group: Group = { all: [placed], message: placed.message }
    // A union has only the tags (see `tagsOf`) that its messages share, so it can be harder to recognize than each of
    // its messages. The loop therefore compares each new union with the other groups again.
    for (;;) {
      const current = group
      const alike = groups.filter((other) => !isRecognizable(other, current))
      const [first] = alike
      if (!first) break
      for (const other of isStrict ? alike : [first]) report(other, current)
      if (isStrict) break
      groups = groups.filter((other) => other !== first)
      group = joined([...first.all, ...current.all])
    }
    groups.push(group)
  }
  const keys = new Map<string, string>()
  const received = groups.map(({ all, message: union }) => {
    if (all.length === 1) return union
    for (const { message } of all) keys.set(message.key, union.key)
    const types = all.map(({ message }) => message.type)
    if (types.includes(undefined)) return union
    const names = all.map(({ message }) => `\`${message.key}\``).join(' or ')
    const schema = {
      ...unionOf(types),
      description: `${names}. Nothing in these messages distinguishes them.`,
    }
    return { ...union, type: all[0].node.define(name(union.key), schema) }
  })
  // Messages with more tags are tried first.
  return { messages: received.toSorted((one, other) => other.tags.length - one.tags.length), keys }
}

function isRecognizable(one: Group, other: Group): boolean {
  if (one.message.kind !== other.message.kind) return true
  if (areDistinct(one.message.tags, other.message.tags)) return true
  // A message without tags is recognized by its schema.
  const hasTags = one.message.tags.length > 0 || one.message.kind !== 'json'
  const { contract } = one.all[0].node
  return !hasTags && areDisjoint(payloadOf(one), payloadOf(other), (raw) => contract.resolve(raw))
}

function payloadOf({ all: [first, ...others] }: Group) {
  const payload = first.node.value ?? true
  return others.length === 0 ? payload : { anyOf: [payload, ...others.map(({ node }) => node.value ?? true)] }
}

function joined(all: Group['all']): Group {
  const [first, ...others] = all.map(({ message }) => message) as [MessageModel, ...MessageModel[]]
  const key =
    others.length < 3
      ? [first.key, ...others.map((other) => pascalCase(other.key))].join('Or')
      : `${first.key}OrOthers`
  const { correlation, ...rest } = first
  const isShared = others.every((other) => other.correlation === correlation)
  const message: MessageModel = {
    ...rest,
    ...(isShared && correlation !== undefined ? { correlation } : {}),
    key,
    type: undefined,
    doc: undefined,
    tags: first.tags.filter((tag) =>
      others.every(({ tags }) =>
        tags.some(({ pointer, equals }) => pointer === tag.pointer && equals === tag.equals),
      ),
    ),
  }
  return { all, message }
}

function report(one: Group, other: Group): void {
  const [first, last] = [one.all[0], other.all.at(-1) ?? one.all[0]]
  const [key, otherKey] = [first.message.key, last.message.key]
  last.node.widen(
    one.message.kind === 'binary'
      ? `\`${key}\` and \`${otherKey}\` are both binary, so a client could not tell them apart, and receives them as one message`
      : `a client could not tell \`${key}\` and \`${otherKey}\` apart, so it receives them as one message; ` +
          'add a required property to both, with a different const in each',
  )
}
