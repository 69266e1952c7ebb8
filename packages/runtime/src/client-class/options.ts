import { OptionsError } from '../core/errors.ts'
import { addressOption, checkOptionNames } from '../core/option-checks.ts'
import { type ClientOptions, COMMON_OPTIONS, type CommonOptions } from '../http/client-options.ts'
import {
  basicCredential,
  type BasicSecret,
  type Credential,
  secretCredential,
  type SecretSource,
} from '../http/credential.ts'
import { checkPollingNames, type PollingOptions } from '../poll/polling-plan.ts'
import type { SocketFactory } from '../socket/socket.ts'
import type { ClientFacts, CredentialFacts } from './facts.ts'
import { baseAddresses, type ServerChoice } from './servers.ts'

/** The options that all generated client classes share. @public */
export interface ClassOptions extends CommonOptions {
  /**
   * The transport for sockets. Default: `ws` in Node, the host's `WebSocket` elsewhere; loaded with the first connection.
   */
  readonly socketFactory?: SocketFactory | undefined
  /** Delays and limits of all waits. They override the recommendations of the contract. */
  readonly polling?: PollingOptions | undefined
}

const SHARED = { ...COMMON_OPTIONS, socketFactory: true, polling: true } as const

/**
 * Turns the options of a generated client class into those of a client: addresses and credentials from the contract.
 *
 * @throws OptionsError if an option is missing, unknown or unusable.
 * @public
 */
export function toClientOptions(options: ClassOptions, facts: ClientFacts): ClientOptions {
  const own: Record<string, true> = { server: true, serverVariables: true }
  for (const name of [...Object.keys(facts.servers), ...Object.keys(facts.credentials)]) own[name] = true
  checkOptionNames(options, { ...own, ...SHARED }, 'options')
  checkPollingNames(options.polling, 'polling')
  const given = options as Readonly<Record<string, unknown>>
  const shared = Object.entries(given).filter(([name]) => !Object.hasOwn(own, name) && name !== 'polling')
  const servers = baseAddresses(facts, given, given as ServerChoice)
  for (const [option, address] of Object.entries(servers))
    addressOption(address, option, 'https://api.example.com')
  const credentials = Object.entries(facts.credentials).flatMap(([option, credential]) =>
    given[option] === undefined
      ? []
      : [[credential.scheme, toCredential(given[option], credential, option)] as const],
  )
  return { ...Object.fromEntries(shared), servers, credentials: Object.fromEntries(credentials) }
}

function toCredential(value: unknown, facts: CredentialFacts, option: string): Credential {
  if (facts.kind === 'basic') return basicCredential(value as BasicSecret, option)
  if (facts.kind === 'custom') return value as Credential
  return secretCredential(value as SecretSource, facts.place, option)
}

/**
 * Reads the options of a generated client class from environment variables: the prefix of the class and the name of the option,
 * as `TIDES_BASE_URL` and `TIDES_API_KEY`; `_USERNAME` and `_PASSWORD` for a user name and a password.
 *
 * @param env Default: that of the process.
 * @param choice The caller's options, which may have a choice among the documented servers. Addresses are not read from the environment then.
 * @throws OptionsError if a user name is set without its password, or the other way around.
 * @public
 */
export function readEnvironment(
  facts: ClientFacts,
  env: Readonly<Record<string, string | undefined>> | undefined,
  choice: object = {},
): Record<string, unknown> {
  const { server, serverVariables } = choice as ServerChoice
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const variables = env ?? host.process?.env ?? {}
  const read = (...words: readonly string[]): string | undefined =>
    variables[[facts.prefix, ...words.map(upperSnake)].join('_')] || undefined
  const found: Record<string, unknown> = {}
  // A choice in the code is not undone by the environment.
  if (server === undefined && serverVariables === undefined)
    for (const option of Object.keys(facts.servers)) found[option] = read(option)
  for (const [option, { kind }] of Object.entries(facts.credentials)) {
    if (kind === 'secret') found[option] = read(option)
    if (kind !== 'basic') continue
    const [username, password] = [read(option, 'username'), read(option, 'password')]
    if (username === undefined && password === undefined) continue
    if (username === undefined || password === undefined) {
      const missing = `${facts.prefix}_${upperSnake(option)}_${username === undefined ? 'USERNAME' : 'PASSWORD'}`
      throw new OptionsError(option, `The environment doesn't set ${missing}.`, 'Set both, or neither.')
    }
    found[option] = { username, password }
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

/** `BASE_URL` for `baseUrl`. The generator writes the same names into the documentation. */
function upperSnake(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .toUpperCase()
}
