import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parse } from 'yaml'

import { type Edit, isNamedIn, kebabCase, STUB, withImport, wordOf } from './stubs.ts'
import type { ToDo } from './to-do.ts'
import { filesIn } from './tree.ts'

/** A message that the client sends or receives on a WebSocket channel. */
export interface Message {
  readonly channel: string
  readonly key: string
  readonly direction: 'sends' | 'receives'
}

type Json = Readonly<Record<string, unknown>>

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const entriesOf = (value: unknown): [string, Json][] =>
  Object.entries(objectOf(value)).map(([key, one]) => [key, objectOf(one)])
const lastOf = (reference: unknown): string =>
  String(objectOf(reference)['$ref'] ?? '')
    .split('/')
    .at(-1) ?? ''

/**
 * Returns the WebSocket messages in an AsyncAPI 3 document. Omits channels without an address, which are webhooks.
 * The action `receive` means that the service receives, so the client sends these messages.
 */
export function messagesOf(text: string): readonly Message[] {
  const document = objectOf(parse(text) as unknown)
  const addressed = new Map(
    entriesOf(document['channels']).filter(([, { address }]) => typeof address === 'string'),
  )
  const found = entriesOf(document['operations']).flatMap(([, operation]) => {
    const isSent = operation['action'] === 'receive'
    const said = keysOf(operation, lastOf(operation['channel']), isSent ? 'sends' : 'receives')
    const reply = objectOf(operation['reply'])
    if (reply['messages'] === undefined) return said
    const channel = lastOf(reply['channel'] ?? operation['channel'])
    return [...said, ...keysOf(reply, channel, isSent ? 'receives' : 'sends')]
  })
  return found.filter(({ channel }) => addressed.has(channel))

  function keysOf({ messages }: Json, channel: string, direction: Message['direction']): Message[] {
    const all = Object.keys(objectOf(addressed.get(channel)?.['messages']))
    const keys = Array.isArray(messages) ? messages.map(lastOf) : all
    return keys.map((key) => ({ channel, key, direction }))
  }
}

export function addedMessages(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const isSame = (one: Message) => (other: Message) =>
    one.channel === other.channel && one.key === other.key && one.direction === other.direction
  return after.filter((one, at) => !before.some(isSame(one)) && after.findIndex(isSame(one)) === at)
}

/** Returns the stub for a new message: a file with a failing step, and `walk.ts` with this step added. */
export function messageStub(root: string, service: string, message: Message): readonly Edit[] {
  const { key, channel, direction } = message
  const folder = `packages/${service}/contract`
  const [file, walk] = [`${folder}/${kebabCase(key)}-message.ts`, `${folder}/walk.ts`]
  if (isNamedIn(root, folder, key) || existsSync(join(root, file)) || !existsSync(join(root, walk))) return []
  const before = readFileSync(join(root, walk), 'utf8')
  const steps = `${key.replaceAll(/[^\w$]/g, '_')}MessageSteps`
  const withSteps = before.replace(
    /^( +)steps: (?:\[(.*\bsocketSteps\(.*)\]|(socketSteps\(.+)),$/m,
    (_all, indent: string, list: string | undefined, own: string | undefined) =>
      `${indent}steps: [${list ?? `...${String(own)}`}, ...${steps}],`,
  )
  const text = withImport(withSteps, `import { ${steps} } from './${kebabCase(key)}-message.ts'`)
  if (withSteps === before || text === undefined) return []
  return [
    {
      file,
      text: `import type { SocketWalkStep } from '@concord/contract'

/** The message \`${key}\` of \`${channel}\`. ${STUB}: write the step, and remove this sentence. */
export const ${steps}: SocketWalkStep[] = [
  {
    channel: '${channel}',
    title: 'what this step tests',
    run() {
      throw new Error(
        \`The walk has no step that ${direction} "${key}" over "${channel}" yet. Write this step in ${file}.\`,
      )
    },
  },
]
`,
    },
    { file: walk, text },
  ]
}

/**
 * Lists what a person has to write for new messages: the emulator's behavior, and the steps that `messageStub`
 * couldn't add.
 */
export function messageToDo(root: string, service: string, added: readonly Message[]): readonly ToDo[] {
  const [emulator, contract] = [`packages/emulator/src/${service}`, `packages/${service}/contract`]
  return added.flatMap(({ key, channel, direction }) => {
    const what = direction === 'sends' ? `read the client message \`${key}\`` : `send the message \`${key}\``
    const behavior = {
      file: placeOf(root, emulator, channel),
      what: `make the emulator ${what} on \`${channel}\``,
      isRequired: true,
    }
    const step = {
      file: `${contract}/walk.ts`,
      what: `add a step that ${direction} \`${key}\` over \`${channel}\``,
      isRequired: true,
    }
    return [
      ...(existsSync(join(root, emulator)) && !isNamedIn(root, emulator, key) ? [behavior] : []),
      ...(existsSync(join(root, contract)) && !isNamedIn(root, contract, key) ? [step] : []),
    ]
  })
}

/** Returns the emulator's file for a channel, or `folder` if no file mentions the channel. */
function placeOf(root: string, folder: string, channel: string): string {
  const files = filesIn(root, folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.gen.ts'))
  const named = files.find((file) => file.endsWith(`/${kebabCase(channel)}.ts`))
  const word = wordOf(channel)
  return named ?? files.find((file) => word.test(readFileSync(join(root, file), 'utf8'))) ?? folder
}
