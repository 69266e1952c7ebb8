import {
  invalidOptions,
  type Operation,
  type SocketChannel,
  type SocketSpec,
  type Spec,
} from '@concord/spec-model'

import { streamFormat } from '../http/item-streams.ts'

/**
 * Returns a function that finds the generated code for a name in the contract. The generator changes punctuation and
 * case (`GET /books/{id}` becomes `getBooksById`). It adds a word to a name that isn't valid in JavaScript
 * (`importOperation`, `schema404`). It adds a number to a name that is already in use (`Blob2`).
 */
function membersOf(
  names: readonly string[],
  isName: RegExp,
  word: 'operation' | 'schema' | 'channel' | 'message',
) {
  const given = new Map<string, string>()
  // Names that need no change come first, so that a changed name can't replace one of them.
  for (const name of [
    ...names.filter((one) => isName.test(one)),
    ...names.filter((one) => !isName.test(one)),
  ]) {
    const wanted = plain(name.replace(/^[A-Z]+ \/.*$/, (path) => path.replaceAll('{', 'by ')))
    let free = wanted
    for (let count = 2; given.has(free); count += 1) free = `${wanted}${count}`
    given.set(free, name)
  }
  const wantedBy = new Map([...given].map(([free, name]) => [name, free]))
  return (all: object, name: string): unknown => {
    if (isName.test(name) && Object.hasOwn(all, name))
      return (all as { readonly [key: string]: unknown })[name]
    const wanted = wantedBy.get(name) ?? plain(name)
    const found = Object.entries(all).map(([key, value]) => [plain(key), value] as const)
    let next = 2
    while (given.has(`${wanted}${next}`)) next += 1
    const spellings = [wanted, `${wanted}${word}`, `${word}${wanted}`, `${wanted}${next}`]
    return spellings.map((spelling) => found.find(([key]) => key === spelling)?.[1]).find(Boolean)
  }
}

/** Returns a name in lowercase, without punctuation. */
export const plain = (name: string): string => name.replaceAll(/[^\p{L}\p{Nl}\p{Nd}]/gu, '').toLowerCase()

/** Returns whether a client has two methods for an operation: one for streams, and one for other media types. */
export function hasTwoForms({ responses }: Pick<Operation, 'responses'>): boolean {
  return responses.some(({ status, media }) => {
    const streams = media.filter(({ type }) => streamFormat(type) !== undefined)
    return status.startsWith('2') && streams.length > 0 && streams.length < media.length
  })
}

/** Returns the name of an operation's method for streams. */
export const streamOf = (operation: string): string => `${operation}Stream`

export function generatedMembers(spec: Spec) {
  const methods = membersOf(
    spec.operations.flatMap((one) => (hasTwoForms(one) ? [one.id, streamOf(one.id)] : [one.id])),
    /^[a-z][A-Za-z0-9]*$/,
    'operation',
  )
  return {
    method(all: object, operation: string): unknown {
      const found = methods(all, operation)
      if (typeof found === 'function') return found
      throw invalidOptions(
        `The client has no operation \`${operation}\`.`,
        'Generate the client again from this contract, and pass the generated class.',
      )
    },
    schema: membersOf(spec.schemas, /^[A-Z]\w*$/, 'schema'),
  }
}

export function generatedChannels({ channels }: Pick<SocketSpec, 'channels'>) {
  const own = membersOf(
    channels.map(({ id }) => id),
    /^[a-z][A-Za-z0-9]*$/,
    'channel',
  )
  return {
    descriptor: own,
    method: (client: object, channel: string): unknown => own(connectMethods(client), channel),
    message({ sends, receives }: SocketChannel, all: object, message: string): string | undefined {
      const keys = [...new Set([...sends, ...receives].map(({ key }) => key))]
      const named = Object.fromEntries(Object.keys(all).map((key) => [key, key]))
      return membersOf(keys, /^[A-Za-z_$][\w$]*$/, 'message')(named, message) as string | undefined
    },
  }
}

/** Returns the client's methods that open a channel, by channel name: `connectLevels` opens `levels`. */
function connectMethods(client: object): object {
  const methods: Record<string, unknown> = {}
  for (
    let type: unknown = client;
    typeof type === 'object' && type !== null && type !== Object.prototype;
    type = Object.getPrototypeOf(type)
  )
    for (const name of Object.getOwnPropertyNames(type)) {
      const channel = /^connect(?=\p{Lu})(.+)$/u.exec(name)?.[1]
      const member = (client as { readonly [key: string]: unknown })[name]
      if (channel !== undefined && typeof member === 'function')
        methods[channel.charAt(0).toLowerCase() + channel.slice(1)] = member
    }
  return methods
}
