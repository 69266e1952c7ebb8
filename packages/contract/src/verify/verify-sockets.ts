import { randomUUID } from 'node:crypto'

import {
  ContractError,
  objectOf,
  schemaOracle,
  type SocketChannel,
  type SocketMessage,
  type SocketSpec,
} from '@concord/spec-model'

import { type Credentials, schemesFor } from '../oracle/security.ts'
import { playSocketClient, type PlayedChannel } from '../socket/serve/socket-player.ts'
import { socketSpecOf } from '../socket/socket-spec.ts'
import { checkAddresses, checkMinCoverage, checkNames } from './check-options.ts'
import { hidden, hider } from './hide.ts'
import { shownAddress } from './hints.ts'
import { needsCredential } from './probes.ts'
import { notRun, verifyReport, type VerifyCheck, type VerifyReport } from './report.ts'

/** Options of {@link verifySockets}. @public */
export interface VerifySocketsOptions {
  /** A file, the name of a service in `@concord/specs`, or a document that is already loaded. */
  readonly spec: string | SocketSpec
  /** The URL of the service (http, https, ws or wss). It may have a path. */
  readonly baseUrl: string
  /**
   * The URLs of further servers, if the channels aren't all on the same server. Each key is a server's `host` plus
   * its `pathname`, as in the document. The first channel's server needs no entry: its default URL is `baseUrl`.
   */
  readonly servers?: Readonly<Record<string, string>>
  /** Secrets by the name of the security scheme. They are sent to the service, but never shown. */
  readonly credentials?: Credentials
  /** Values of the handshake's path and query parameters, by name. */
  readonly params?: Readonly<Record<string, string>>
  /**
   * The names of the messages to send, in the form `message` or `channel/message`. Their payloads are the document's
   * examples. Default: none, since a message may change something or cost money.
   */
  readonly allow?: readonly string[]
  /**
   * Milliseconds to listen after the last message was sent, or after the handshake if no message is sent. Default
   * 1,000.
   */
  readonly listenMs?: number
  /** The time limit of a handshake, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  /** The percentage of channels on which the service must send a documented message. Default 0. */
  readonly minCoverage?: number
  /** Fail if any check has the state `not-run` or `nothing-shown`. Default false. */
  readonly strict?: boolean
}

/**
 * Tests whether the WebSockets of a live or staged service conform to the contract. Opens each channel, sends only
 * the messages in `allow`, and checks every message that the service sends. A channel passes if the service sends a
 * documented message that an unrelated server wouldn't send. If the service sends nothing, the state is
 * `nothing-shown`.
 *
 * @throws ContractError if the document or an option is invalid, or the service can't be reached at all.
 * @public
 */
export async function verifySockets(options: VerifySocketsOptions): Promise<VerifyReport> {
  const spec = await socketSpecOf(options.spec)
  checkOptions(spec, options)
  const session = new SocketVerifier(spec, options)
  const operations = []
  for (const channel of spec.channels) {
    const checks = hidden(await session.check(channel), hider(options.credentials))
    operations.push({ operation: channel.id, method: 'WS', path: channel.address, checks })
  }
  const { minCoverage, strict, baseUrl } = options
  return verifyReport(spec.name, shownAddress(baseUrl), operations, { minCoverage, strict, what: 'channels' })
}

class SocketVerifier {
  readonly #spec: SocketSpec
  readonly #options: VerifySocketsOptions
  #reached = false

  constructor(spec: SocketSpec, options: VerifySocketsOptions) {
    this.#spec = spec
    this.#options = options
  }

  async check(channel: SocketChannel): Promise<VerifyCheck[]> {
    const title = 'as documented'
    const { credentials = {}, allow = [], params = {} } = this.#options
    const { schemes, isPublic } = schemesFor(channel, credentials)
    if (this.#address(channel) === undefined)
      return [
        notRun(title, `the URL of the channel's server is missing; add --server '${channel.server}=URL'`),
      ]
    const missing = Object.entries(channel.parameters)
      .filter(([name, values]) => params[name] === undefined && values.length === 0)
      .map(([name]) => `--param ${name}=...`)
    if (missing.length > 0) return [notRun(title, `needs ${missing.join(' ')}`)]
    if (!schemes) return [notRun(title, needsCredential(channel))]
    const played = await this.#play(channel, credentials)
    const first = await this.#verdict(channel, played)
    const notAllowed = channel.sends.filter((message) => !isAllowed(allow, channel, message))
    if (first.state === 'nothing-shown' && played.received.length === 0 && notAllowed.length > 0) {
      const names = notAllowed.map(({ key }) => `'${key}'`).join(' or ')
      first.reasons.push(`the service sent nothing; add --allow ${names} to send a documented example`)
    }
    return [first, ...(isPublic ? [] : [await this.#withoutKey(channel, first)])]
  }

  async #verdict(
    channel: SocketChannel,
    played: PlayedChannel,
  ): Promise<VerifyCheck & { reasons: string[] }> {
    const { status, received, findings } = played
    const reasons = findings.map(({ at, message }) => `${at}: ${message}`)
    const check = {
      title: received.length > 0 ? `as documented: ${received.join(', ')}` : 'as documented',
      status,
      findings,
    }
    if (reasons.length > 0) return { ...check, state: 'fail', reasons }
    if (received.length === 0) return { ...check, state: 'nothing-shown', reasons: [] }
    const telling = channel.receives.some(
      ({ key, schema }) => received.includes(key) && !acceptsAnything(this.#spec, schema),
    )
    if (telling || !(await this.#opensAnywhere(channel))) return { ...check, state: 'pass', reasons: [] }
    const reason =
      "the schemas of the received messages accept anything, and the service also accepts a handshake on a path that isn't in the contract"
    return { ...check, state: 'nothing-shown', reasons: [reason] }
  }

  async #withoutKey(channel: SocketChannel, opened: VerifyCheck): Promise<VerifyCheck> {
    const title = 'without a credential'
    const { status } = await this.#play(channel, {}, () => false)
    const findings: [] = []
    if (status === 101) {
      const reason = 'the handshake was accepted, but the contract requires a credential'
      return { title, status, state: 'fail', reasons: [reason], findings }
    }
    if (status < 400 || status >= 500) {
      const reason = status === 0 ? 'no response to the handshake' : `expected a denial, got ${status}`
      return { title, status, state: 'fail', reasons: [reason], findings }
    }
    if (opened.state === 'pass') return { title, status, state: 'pass', reasons: [], findings }
    const reason =
      opened.status === 101
        ? 'the check with a credential did not pass, so this denial proves nothing: any server can deny a handshake'
        : "the channel didn't open with a credential either, so this denial proves nothing"
    return { title, status, state: 'nothing-shown', reasons: [reason], findings }
  }

  async #opensAnywhere(channel: SocketChannel): Promise<boolean> {
    const nowhere = { ...channel, address: `/no-such-path-${randomUUID()}` }
    const { status } = await this.#play(nowhere, this.#options.credentials ?? {}, () => false)
    return status === 101
  }

  async #play(
    channel: SocketChannel,
    credentials: Credentials,
    sends = (one: SocketChannel, message: SocketMessage) =>
      isAllowed(this.#options.allow ?? [], one, message),
  ): Promise<PlayedChannel> {
    const { params = {}, listenMs = 1000, timeoutMs = 10_000 } = this.#options
    const address = this.#address(channel) ?? this.#options.baseUrl
    const [played] = await playSocketClient({
      spec: { ...this.#spec, channels: [channel] },
      upstream: address,
      credentials,
      params,
      sends,
      listenMs,
      handshakeTimeoutMs: timeoutMs,
    })
    if (!played)
      throw new Error(`Bug in verify: no connection to the channel \`${channel.id}\` was attempted.`)
    if (played.status === 0 && !this.#reached) throw unreachable(address, played)
    this.#reached = true
    return played
  }

  #address({ server }: SocketChannel): string | undefined {
    const { baseUrl, servers = {} } = this.#options
    return servers[server] ?? (server === this.#spec.channels[0]?.server ? baseUrl : undefined)
  }
}

function isAllowed(allow: readonly string[], channel: SocketChannel, { key }: SocketMessage): boolean {
  return allow.includes(key) || allow.includes(`${channel.id}/${key}`)
}

/** Returns whether a schema accepts even a random object. Such a schema could match any server's message. */
function acceptsAnything(spec: SocketSpec, schema: SocketMessage['schema']): boolean {
  return schema === undefined || schemaOracle(spec).accepts(schema, { 'no such member': randomUUID() })
}

function unreachable(address: string, { findings }: PlayedChannel): ContractError {
  const reason = findings[0]?.message ?? 'no response'
  return new ContractError(
    'unreachable',
    `${shownAddress(address)} could not be reached: ${reason}.`,
    'Check the URL, and that the service is running.',
  )
}

function checkOptions(
  spec: SocketSpec,
  { baseUrl, servers = {}, credentials = {}, params = {}, allow = [], minCoverage }: VerifySocketsOptions,
): void {
  checkMinCoverage(minCoverage)
  checkAddresses(baseUrl, servers, ['wss', 'ws', 'https', 'http'])
  const { channels, securitySchemes } = spec
  checkNames(spec, 'security scheme', Object.keys(credentials), Object.keys(securitySchemes))
  const hosts = channels.map(({ server }) => server)
  checkNames(spec, 'server', Object.keys(servers), hosts)
  const messages = channels.flatMap((channel) => channel.sends.map(({ key }) => ({ channel, key })))
  const scoped = messages.map(({ channel, key }) => `${channel.id}/${key}`)
  const unscoped = allow.filter((name) => !scoped.includes(name))
  checkNames(
    spec,
    'client message',
    unscoped,
    messages.map(({ key }) => key),
  )
  const names = channels.flatMap(({ query, parameters }) => {
    const resolved = objectOf(schemaOracle(spec).deref(query?.schema))
    return [...Object.keys(objectOf(resolved['properties'])), ...Object.keys(parameters)]
  })
  checkNames(spec, 'parameter', Object.keys(params), names)
}
