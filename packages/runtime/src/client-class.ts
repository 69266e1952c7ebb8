import type { OperationDescriptor } from './core/descriptors.ts'
import { OptionsError } from './core/errors.ts'
import { readPointer } from './core/json.ts'
import { baseUrlOption, checkOptionNames } from './core/option-checks.ts'
import type { CallInput, CallOptions } from './http/call-options.ts'
import { type ClientOptions, COMMON_OPTIONS, type CommonOptions } from './http/client-options.ts'
import type { Client } from './http/client.ts'
import {
  basicCredential,
  type BasicSecret,
  type Credential,
  secretCredential,
  type SecretPlace,
  type SecretSource,
} from './http/credential.ts'
import { submit } from './http/submit.ts'
import type { OperationHandle } from './poll/operation-handle.ts'
import { defineOperationKind } from './poll/operation-handle.ts'
import { PollScheduler } from './poll/poll-scheduler.ts'
import { checkPollingNames, type PollingOptions } from './poll/operation.ts'
import type { SocketFactory } from './socket/socket.ts'

/** The options that all generated client classes share. @public */
export interface ClassOptions extends CommonOptions {
  /**
   * The transport for sockets. Default: `ws` in Node, the built-in `WebSocket` elsewhere. The default is loaded when
   * the first socket connects.
   */
  readonly socketFactory?: SocketFactory | undefined
  /** Delays and limits of all waits for long-running work. They override the recommendations of the contract. */
  readonly polling?: PollingOptions | undefined
}

const SHARED = { ...COMMON_OPTIONS, socketFactory: true, polling: true } as const

/**
 * Converts the options of a generated client class to options of `createClient`. The contract defines the default
 * addresses and how each credential is sent.
 *
 * @throws OptionsError if an option is missing, unknown or unusable.
 * @public
 */
export function toClientOptions(options: ClassOptions, facts: ClientFacts): ClientOptions {
  const own: Record<string, true> = { allServers: true, server: true, serverVariables: true }
  for (const name of [...Object.keys(facts.servers), ...Object.keys(facts.credentials)]) own[name] = true
  checkOptionNames(options, { ...own, ...SHARED }, 'options')
  checkPollingNames(options.polling, 'polling')
  const given = options as Readonly<Record<string, unknown>>
  const shared = Object.entries(given).filter(([name]) => !Object.hasOwn(own, name) && name !== 'polling')
  const servers = baseAddresses(facts, given, given as ServerChoice)
  for (const [option, address] of Object.entries(servers))
    baseUrlOption(address, option, 'https://api.example.com')
  const credentials = Object.entries(facts.credentials).flatMap(([option, credential]) =>
    given[option] === undefined
      ? []
      : [[credential.scheme, toCredential(given[option], credential, option)] as const],
  )
  const names = Object.entries(facts.credentials).map(([option, { scheme }]) => [scheme, option] as const)
  return {
    ...Object.fromEntries(shared),
    servers,
    credentials: Object.fromEntries(credentials),
    credentialOptions: Object.fromEntries(names),
  }
}

function toCredential(value: unknown, facts: CredentialFacts, option: string): Credential {
  if (facts.kind === 'basic') return basicCredential(value as BasicSecret, option)
  if (facts.kind === 'custom') return value as Credential
  return secretCredential(value as SecretSource, facts.place, option)
}

/**
 * Reads the options of a generated client class from environment variables. The name of a variable consists of the
 * prefix of the class and the name of the option, as in `TIDES_BASE_URL` and `TIDES_API_KEY`. For a user name and a
 * password, the names end in `_USERNAME` and `_PASSWORD`.
 *
 * @param env The variables. Default: the environment of the process.
 * @param choice The caller's options. If `allServers`, `server` or `serverVariables` is set, no address is read from
 *   the environment.
 * @throws OptionsError if a user name is set without its password, or a password without its user name.
 * @public
 */
export function readEnvironment(
  facts: ClientFacts,
  env: Readonly<Record<string, string | undefined>> | undefined,
  choice: object = {},
): Record<string, unknown> {
  const { allServers, server, serverVariables } = choice as ServerChoice
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const variables = env ?? host.process?.env ?? {}
  const read = (...words: readonly string[]): string | undefined =>
    variables[[facts.prefix, ...words.map(upperSnake)].join('_')] || undefined
  const found: Record<string, unknown> = {}
  if (allServers === undefined && server === undefined && serverVariables === undefined)
    for (const option of Object.keys(facts.servers)) found[option] = read(option)
  for (const [option, { kind }] of Object.entries(facts.credentials)) {
    if (kind === 'secret') found[option] = read(option)
    if (kind !== 'basic') continue
    const [username, password] = [read(option, 'username'), read(option, 'password')]
    if (username === undefined && password === undefined) continue
    if (username === undefined || password === undefined) {
      const missing = `${facts.prefix}_${upperSnake(option)}_${username === undefined ? 'USERNAME' : 'PASSWORD'}`
      throw new OptionsError(
        option,
        `The environment variable ${missing} is not set.`,
        'Set both the user name and the password, or neither.',
      )
    }
    found[option] = { username, password }
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

/** Returns `BASE_URL` for `baseUrl`. The generator's `upperSnake` creates the same names for the documentation. */
function upperSnake(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .toUpperCase()
}

interface ServerChoice {
  /** An address that replaces all documented servers, such as the address of a mock server. */
  readonly allServers?: string | undefined
  /** The name of a documented server. Default: the first server. */
  readonly server?: string | undefined
  /** Values of the variables in the documented addresses. Default: the defaults in the contract. */
  readonly serverVariables?: Readonly<Record<string, string | undefined>> | undefined
}

/** Returns the base URLs of a client, keyed by option. The caller's addresses replace the documented addresses. */
function baseAddresses(
  { servers }: ClientFacts,
  own: Readonly<Record<string, unknown>>,
  { allServers, server, serverVariables = {} }: ServerChoice,
): Record<string, string> {
  const groups = Object.values(servers)
  const names = new Set(groups.flatMap((group) => Object.keys(group)))
  if (server !== undefined && !names.has(server)) throw unknownName('server', server, names)
  const variables = new Set(
    groups.flatMap((group) => Object.values(group)).flatMap((one) => Object.keys(one.variables ?? {})),
  )
  for (const name of Object.keys(serverVariables))
    if (!variables.has(name)) throw unknownName(`serverVariables.${name}`, name, variables)
  return Object.fromEntries(
    Object.entries(servers).map(([option, group]) => {
      const given = own[option]
      if (given !== undefined) return [option, given as string]
      if (allServers !== undefined) return [option, baseUrlOption(allServers, 'allServers')]
      const name = server !== undefined && Object.hasOwn(group, server) ? server : Object.keys(group)[0]
      if (name !== undefined) return [option, fill(group[name]!, serverVariables, option)]
      throw new OptionsError(
        option,
        'is missing, and the contract has no absolute URL to use instead.',
        'Pass the base URL of the service, such as https://api.example.com/prefix.',
      )
    }),
  )
}

function fill(
  { url, variables = {} }: ServerFacts,
  values: ServerChoice['serverVariables'],
  option: string,
): string {
  return url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const { enum: allowed, default: usual } = variables[name] ?? {}
    const value = values?.[name] ?? usual
    const at = `serverVariables.${name}`
    if (value === undefined) {
      throw new OptionsError(
        at,
        `is missing. The address ${url} contains this variable, and the contract has no default for it.`,
        `Pass a value for the variable, or pass the whole address as \`${option}\`.`,
      )
    }
    if (allowed === undefined || allowed.includes(value)) return value
    throw new OptionsError(
      at,
      `has a value that the contract doesn't list.`,
      `Pass one of these values: ${allowed.join(', ')}. Alternatively, pass the whole address as \`${option}\`.`,
    )
  })
}

function unknownName(option: string, name: string, known: ReadonlySet<string>): OptionsError {
  return new OptionsError(
    option,
    `The contract doesn't define the ${option === 'server' ? 'server' : 'server variable'} \`${name}\`.`,
    known.size === 0
      ? `Omit \`${option}\`.`
      : `Valid names: ${[...known].map((each) => `\`${each}\``).join(', ')}.`,
  )
}

/** The facts that a generated client class needs about its contract, as plain data. @public */
export interface ClientFacts {
  /** The name of the class. */
  readonly name: string
  /** The prefix of the names of the class's environment variables, such as `TIDES`. */
  readonly prefix: string
  /**
   * The documented addresses, keyed by the option that replaces them, and then by the names of the servers. An option
   * without documented addresses has no default.
   */
  readonly servers: Readonly<Record<string, Readonly<Record<string, ServerFacts>>>>
  /** How each credential is sent, keyed by the option for the credential. */
  readonly credentials: Readonly<Record<string, CredentialFacts>>
}

/** One documented address. @public */
export interface ServerFacts {
  /** An absolute URL. Parts in braces are variables. */
  readonly url: string
  readonly variables?: Readonly<
    Record<string, { readonly default?: string; readonly enum?: readonly string[] }>
  >
}

/** How the credential of a security scheme is sent. @public */
export type CredentialFacts =
  | { readonly scheme: string; readonly kind: 'secret'; readonly place: SecretPlace }
  | { readonly scheme: string; readonly kind: 'basic' }
  /** The contract doesn't say how the credential is sent, so the caller passes a complete `Credential`. */
  | { readonly scheme: string; readonly kind: 'custom' }

/** Settings of a handle. @public */
export interface HandleOptions {
  /** Delays and limits of the handle's waits. They override the client's `polling` option. */
  readonly polling?: PollingOptions
}

/** Creates handles on long-running work. A handle polls the operation that returns the work's status. @public */
export interface Waiting<Input, Output> {
  /** Returns a handle on the work that the input identifies. The handle's first wait polls immediately. */
  (input: Input, options?: HandleOptions): OperationHandle<Output>
  /**
   * Returns a handle from a resume token, which may come from another process.
   *
   * @throws OptionsError if the token is incomplete, belongs to another operation, or is from a newer version of this
   *   package.
   */
  resume(token: string, options?: HandleOptions): OperationHandle<Output>
}

/** Settings of a submission, and of the handle that it returns. @public */
export interface SubmissionOptions extends CallOptions, HandleOptions {}

/** Sends a submission and returns a handle on the submitted work. @public */
export type Submitting<Input, Output> = (
  input: Input,
  options?: SubmissionOptions,
) => Promise<OperationHandle<Output>>

/** The client doesn't retry a failed poll, because the handle polls again. */
const ONE_ATTEMPT = { maxAttempts: 1 } as const satisfies CallOptions

/** Creates the functions that return a client's handles. The handles share one scheduler. @public */
export class Waits {
  readonly #client: Client
  readonly #service: string
  readonly #polling: PollingOptions | undefined
  readonly #scheduler: PollScheduler

  /** @param service The name of the service. Each resume token contains this name, so the name must never change. */
  constructor(client: Client, service: string, polling: PollingOptions | undefined) {
    this.#client = client
    this.#service = service
    this.#polling = polling
    this.#scheduler = new PollScheduler({ clock: client.clock, random: client.random })
  }

  of<Input, Output, ErrorBody>(
    operation: OperationDescriptor<Input, Output, ErrorBody>,
  ): Waiting<Input, Output> {
    const client = this.#client
    const kind = defineOperationKind<Output>({
      kind: `${this.#service}.${operation.id}`,
      operation: operation.id,
      waiter: operation.waiter!,
      scheduler: this.#scheduler,
      polling: this.#polling,
      poll: (_id, signal, extra) => client.exchange(operation, extra as Input, { ...ONE_ATTEMPT, signal }),
      observe: (event) => client.emit(event),
    })
    return Object.assign(
      (input: Input, options: HandleOptions = {}) =>
        kind.attach(idOf(operation, input as CallInput), {
          ...options,
          extra: (input ?? {}) as Readonly<Record<string, unknown>>,
        }),
      { resume: (token: string, options: HandleOptions = {}) => kind.resume(token, options) },
    )
  }

  /**
   * Returns a function that sends a submission and returns a handle on the work. The operation that `waiting` polls
   * must have the same path parameters as the submission, and one more for the id of the work.
   *
   * @param name The name of the path parameter for the id of the work.
   */
  from<Input, Output, ErrorBody, Work, WorkInput>(
    submission: OperationDescriptor<Input, Output, ErrorBody>,
    waiting: Waiting<WorkInput, Work>,
    name: string,
  ): Submitting<Input, Work> {
    return async (input, { polling, ...options } = {}) => {
      const { id, data } = await submit(this.#client, submission, input, options)
      // `id` is always a string, but the parameter may be an integer. The response contains the original value.
      const shown = data === undefined ? id : readPointer(data, submission.outcome!.id!)
      const path = { ...(input as CallInput | undefined)?.path, [name]: shown }
      return waiting({ path } as WorkInput, polling === undefined ? {} : { polling })
    }
  }

  /** Ends all waits. */
  close(): void {
    this.#scheduler.close()
  }
}

/** Returns the id of the work: the values of the path parameters, separated by slashes. */
function idOf({ id, parameters }: Pick<OperationDescriptor, 'id' | 'parameters'>, input: CallInput): string {
  const values = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => input.path?.[name])
  return values.length === 0 ? id : values.map(String).join('/')
}

/** Returns a copy of an object with only the named properties. @public */
export function pick<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>
}
