import type { ContractNode } from '../read/contract.ts'
import { freeName, isReserved, operationNamePattern } from './names.ts'

/** Names that generated files with channels already use for something else. */
const OWN_NAMES =
  'checks connect createClient pick readEnvironment securitySchemes spec toClientOptions undefined'.split(' ')

interface Named {
  readonly name: string
  readonly node: ContractNode
}

/**
 * Chooses the name of each channel's descriptor: the channel's key if possible, or else a name derived from the key.
 *
 * @param taken The names of operations.
 */
export function channelNames(
  channels: readonly Named[],
  taken: readonly string[],
): ReadonlyMap<string, string> {
  const operations = new Set(taken)
  const foreign = new Set([...operations, ...OWN_NAMES])
  const used = new Set(foreign)
  const names = new Map<string, string>()
  for (const { name, node } of rightFirst(channels)) {
    const isRight = isName(name)
    const wanted = isRight ? name : toName(name, 'channel')
    const legal = freeName(foreign.has(wanted) ? `${wanted}Channel` : wanted, (each) => used.has(each))
    used.add(legal)
    names.set(name, legal)
    if (!isRight) node.note(`${WRONG(name)}; the channel is called \`${legal}\``)
    else if (operations.has(name))
      node.note(`\`${name}\` is also the name of an operation; the channel is called \`${legal}\``)
  }
  return names
}

/**
 * Maps each message's key in the contract to its key in the generated code. If the key in the contract isn't a plain
 * identifier, or is a name such as `toString` that every object inherits, the generated code uses a derived key.
 */
export function messageKeys(messages: ContractNode, keys: Iterable<string>): ReadonlyMap<string, string> {
  const used = new Set<string>()
  const found = new Map<string, string>()
  const named = [...keys].map((name) => ({ name, node: messages.at(name) }))
  for (const { name, node } of rightFirst(named)) {
    const isMember = /^[A-Za-z_$][\w$]*$/.test(name) && !(name in Object.prototype)
    const legal = freeName(isMember ? name : toName(name, 'message'), (each) => used.has(each))
    used.add(legal)
    found.set(name, legal)
    if (!isName(name) && (node.contract.isStrict || legal !== name))
      node.note(`${WRONG(name)}; the message is called \`${legal}\``)
  }
  return found
}

const WRONG = (name: string) => `the name \`${name}\` isn't in camelCase, or is a JavaScript reserved word`

/** Valid names come first, so that no derived name takes them. */
function rightFirst(named: readonly Named[]): Named[] {
  return [...named.filter(({ name }) => isName(name)), ...named.filter(({ name }) => !isName(name))]
}

function isName(name: string): boolean {
  return operationNamePattern.test(name) && !isReserved(name) && !(name in Object.prototype)
}

/** Turns any string into a name in camelCase: `/rooms/{roomId}` becomes `roomsRoomId`. */
function toName(text: string, kind: 'channel' | 'message'): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const joined = words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
    .replace(/^[A-Z]+(?=[A-Z][a-z]|$)|^[A-Z]/, (start) => start.toLowerCase())
  if (/^[a-z]/.test(joined) && !isReserved(joined) && !(joined in Object.prototype)) return joined
  return joined === '' ? kind : kind + joined.charAt(0).toUpperCase() + joined.slice(1)
}
