import {
  type ContractError,
  invalidOptions,
  isObject,
  type SocketChannel,
  type SocketSpec,
  reasonOf,
} from '@concord/spec-model'

import {
  accepts,
  type ClientClassTests,
  type GeneratedClient,
  isSchema,
  lineage,
  usualOptions,
} from '../../suite/client-class.ts'
import { generatedChannels, plain } from '../../suite/member-names.ts'
import type { Drift } from '../../suite/subject.ts'
import type {
  SendOutcome,
  SocketInput,
  SocketOpening,
  SocketOutcome,
  SocketSession,
  SocketSubject,
  SocketTarget,
} from './socket-subject.ts'

/** The members of a generated channel that the contract tests use. */
interface GeneratedChannel {
  readonly query: readonly { readonly name: string }[]
  readonly queryCheck?: GeneratedCheck
  readonly sends: { readonly [message: string]: { readonly check?: GeneratedCheck } }
  readonly receives: { readonly [message: string]: { readonly check?: GeneratedCheck } }
  readonly replies: { readonly [message: string]: readonly string[] }
  readonly rules: { readonly gate?: object }
}

interface GeneratedCheck {
  schema(): unknown
  /** A faster check with the same verdict as the schema. */
  accepts?(value: unknown): boolean
}

/** The members of the generated client's connection that the contract tests use. */
interface GeneratedConnection extends AsyncIterable<ReceivedMessage> {
  readonly closed: Promise<{ readonly closeCode: number }>
  send(message: string, payload: unknown): Promise<void>
  request(message: string, payload: unknown): Promise<ReceivedMessage>
  close(): Promise<unknown>
}

interface ReceivedMessage {
  readonly message: string | undefined
  readonly data: unknown
}

type Connect = (options: object) => Promise<GeneratedConnection>

interface TestedChannel {
  readonly described: SocketChannel
  readonly generated: GeneratedChannel
  /** Maps the key of each message in the contract to its key in the generated code. */
  readonly keys: ReadonlyMap<string, string>
}

/**
 * Adapts the WebSockets of a generated client class for the contract tests.
 *
 * @throws ContractError if the generated code has no descriptor for a channel, or a check has no valid schema.
 */
export async function classSockets(spec: SocketSpec, tests: ClientClassTests): Promise<SocketSubject> {
  const names = generatedChannels(spec)
  const channels = new Map(
    spec.channels.map((described): [string, TestedChannel] => {
      const generated = names.descriptor(tests.channels ?? {}, described.id)
      if (!isChannel(generated)) throw unknownChannel(described.id)
      return [described.id, { described, generated, keys: keysOf(names, described, generated) }]
    }),
  )
  const queries: Record<string, (value: unknown) => boolean> = {}
  const messages: Record<string, Record<string, (value: unknown) => boolean>> = {}
  for (const [id, { described, generated, keys }] of channels) {
    // If the contract names no query parameters, the client doesn't check the query, so every object is valid.
    queries[id] = generated.queryCheck ? await verdictOf(generated.queryCheck) : isObject
    const own: Record<string, (value: unknown) => boolean> = {}
    for (const [name, all] of Object.entries(unionsOf({ described, generated, keys }))) {
      const check = generated.receives[name]?.check
      if (check) for (const key of all) own[key] = await verdictOf(check)
    }
    for (const [key, name] of keys) {
      const check = (generated.sends[name] ?? generated.receives[name])?.check
      if (check) own[key] = await verdictOf(check)
    }
    messages[id] = own
  }
  return {
    service: tests.client.name,
    queries,
    messages,
    unions: Object.fromEntries([...channels].map(([id, channel]) => [id, unionsOf(channel)])),
    async open(id, input, target) {
      const channel = channels.get(id)
      if (!channel) throw unknownChannel(id)
      const drift: Drift[] = []
      const client = new tests.client({
        ...optionsOf(spec, tests, target),
        onDrift: (report: { readonly issues: readonly Drift[] }) => drift.push(...report.issues),
      })
      const method = names.method(client, id)
      if (typeof method !== 'function') {
        await client.close()
        throw missingMethod(id)
      }
      return openWith((options) => method.call(client, options), { client, channel, drift, input, target })
    },
  }
}

const isChannel = (value: unknown): value is GeneratedChannel =>
  typeof value === 'object' && value !== null && 'sends' in value && 'receives' in value

function keysOf(
  names: ReturnType<typeof generatedChannels>,
  described: SocketChannel,
  { sends, receives }: GeneratedChannel,
): ReadonlyMap<string, string> {
  return new Map(
    [...described.sends, ...described.receives].flatMap(({ key }) => {
      const name = names.message(described, { ...sends, ...receives }, key)
      return name === undefined ? [] : [[key, name]]
    }),
  )
}

/** Returns the messages that a client can't distinguish, grouped under names such as `pongOrStatus`. */
function unionsOf({ described, generated, keys }: TestedChannel): Record<string, readonly string[]> {
  const own = new Set(keys.values())
  const names = Object.keys(generated.receives).filter((name) => !own.has(name))
  const rest = described.receives
    .map(({ key }) => key)
    .filter((key) => !Object.hasOwn(generated.receives, keys.get(key) ?? ''))
  const isIn = (name: string, key: string) => plain(name).includes(plain(key))
  const unnamed = rest.filter((key) => !names.some((name) => isIn(name, key)))
  return Object.fromEntries(
    // The name of a large group contains the name of only its first message, for instance `pongOrOthers`.
    names.map((name) => [
      name,
      [...rest.filter((key) => isIn(name, key)), ...(name.endsWith('OrOthers') ? unnamed : [])],
    ]),
  )
}

async function verdictOf(check: GeneratedCheck): Promise<(value: unknown) => boolean> {
  const schema = await check.schema()
  if (!isSchema(schema)) throw invalidOptions('A check in `channels` has no valid schema.', REGENERATE)
  return (value) => {
    const verdict = accepts(schema, value)
    // Only the schema's verdict is returned to the suite, so the quick check (`check.accepts`) is tested here.
    if ((check.accepts?.(value) ?? verdict) !== verdict)
      throw new Error(
        `the generated check and the schema disagree on whether ${JSON.stringify(value)} is valid`,
      )
    return verdict
  }
}

/**
 * `allServers` applies to each server for which `tests.options` sets no URL. This way, nothing is sent to the real
 * service.
 */
function optionsOf(spec: SocketSpec, tests: ClientClassTests, target: SocketTarget): object {
  const usual = usualOptions(spec, spec.channels, target)
  return { ...(tests.options?.(target, usual) ?? usual), allServers: target.baseUrl, clock: target.clock }
}

interface Opened {
  readonly client: GeneratedClient
  readonly channel: TestedChannel
  readonly drift: Drift[]
  readonly input: SocketInput
  readonly target: SocketTarget
}

async function openWith(connect: Connect, opened: Opened): Promise<SocketOpening> {
  try {
    return { kind: 'open', session: sessionOf(await connect(connectOptions(opened)), opened) }
  } catch (error) {
    await opened.client.close()
    const { status, body } = error as { readonly status?: number; readonly body?: string }
    return {
      ...failureOf(error),
      ...(status !== undefined && { status }),
      ...(body !== undefined && { body }),
    }
  }
}

function connectOptions({ channel, input: { query, parameters }, target }: Opened): object {
  const { generated, keys } = channel
  const { queryCheck, rules } = generated
  const isKnown = (name: string) => generated.query.some((one) => one.name === name)
  const documented = Object.entries(query).filter(([name]) => queryCheck !== undefined || isKnown(name))
  const further = Object.entries(query).filter(([name]) => queryCheck === undefined && !isKnown(name))
  return {
    ...(parameters && { parameters }),
    ...((documented.length > 0 || queryCheck) && { query: Object.fromEntries(documented) }),
    ...(further.length > 0 && { extra: { query: Object.fromEntries(further) } }),
    ...(rules.gate && {
      acknowledged: ({ message, data }: ReceivedMessage) => target.acknowledges(keyOf(keys, message), data),
    }),
    ...(target.reconnect === true && { reconnect: true }),
  }
}

const UNKNOWN = 'unknown'

function keyOf(keys: ReadonlyMap<string, string>, name: string | undefined): string {
  return [...keys].find(([, generated]) => generated === name)?.[0] ?? name ?? UNKNOWN
}

function sessionOf(
  connection: GeneratedConnection,
  { client, channel: { generated, keys }, drift }: Opened,
): SocketSession {
  const messages = connection[Symbol.asyncIterator]()
  return {
    async send(message, payload): Promise<SendOutcome> {
      const name = keys.get(message) ?? message
      try {
        if (!(name in generated.replies)) {
          await connection.send(name, payload)
          return { kind: 'sent' }
        }
        const reply = await connection.request(name, payload)
        return { kind: 'replied', message: keyOf(keys, reply.message), data: reply.data }
      } catch (error) {
        return failureOf(error)
      }
    },
    async receive(): Promise<SocketOutcome> {
      try {
        const { done, value } = await messages.next()
        if (done === true)
          return { kind: 'closed', code: (await connection.closed).closeCode, errorNames: [] }
        const { message, data } = value
        return { kind: 'message', message: keyOf(keys, message), data, drift: drift.splice(0) }
      } catch (error) {
        return { kind: 'closed', errorNames: failureOf(error).errorNames }
      }
    },
    async close() {
      await connection.close()
      await client.close()
    },
  }
}

interface Failure {
  readonly kind: 'error'
  readonly errorNames: readonly string[]
  readonly message: string
}

function failureOf(error: unknown): Failure {
  const message = reasonOf(error)
  return { kind: 'error', errorNames: lineage(error), message }
}

const REGENERATE =
  'Generate the client again from this contract, and pass every export of its `channels.gen.ts`, as in `import * as channels`.'

const unknownChannel = (id: string): ContractError =>
  invalidOptions(`\`channels\` has no channel \`${id}\`.`, REGENERATE)

const missingMethod = (id: string): ContractError =>
  invalidOptions(
    `The client has no method that opens the channel \`${id}\`.`,
    'Generate the client again from this contract, and pass the generated class.',
  )
