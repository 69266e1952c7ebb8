import { bounded, load } from '../core/async.ts'
import { check, listIssues } from '../core/check.ts'
import { safeCause } from '../core/api-errors.ts'
import {
  ConcordError,
  ConnectionError,
  type Issue,
  RequestInvalidError,
  SocketError,
  TimeoutError,
} from '../core/errors.ts'
import type { Scrub } from '../core/redact.ts'
import type { ClientCore } from '../http/client-state.ts'
import { fillPath, lostParameters, type Values, writeQuery } from '../http/path.ts'
import { checkCredentialValue, renewCredentials, withCredentials } from '../http/credential.ts'
import { addHeaders, setHeader } from '../http/headers.ts'
import { collectSecrets, secretsOf } from '../http/secrets.ts'
import { headerValue, toHeaders } from '../http/transport.ts'
import { addedByCaller, callCaller, noteCallerError } from '../retry/caller-errors.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { Link, type NetworkFailure, UpgradeDenied } from './link.ts'
import type { ConnectionSettings } from './settings.ts'
import { type ChannelPlan, parseIfJson } from './messages.ts'
import type { SocketFactory, SocketRequest } from './socket.ts'

/** A handshake that is ready to be sent. */
interface Handshake {
  readonly request: SocketRequest
  readonly secrets: readonly string[]
  readonly scrub: Scrub
}

/**
 * Opens one socket: reads a fresh query and credential, checks and sends them, and waits for the connection. After a
 * 401, tries once more if a credential has a fresh value.
 *
 * @throws SocketError if the server denies the connection; ConnectionError, TimeoutError, RequestInvalidError,
 * OptionsError. An abort throws the signal's reason. Errors of the caller's functions are rethrown unchanged.
 */
export function openLink(
  core: ClientCore,
  plan: ChannelPlan,
  settings: ConnectionSettings,
  signals: readonly AbortSignal[],
): Promise<Link> {
  const limit = {
    clock: core.clock,
    ms: settings.handshakeTimeoutMs,
    error: (elapsedMs: number) => tooSlow(plan, settings, elapsedMs),
  }
  return bounded((signal) => shakeHands(core, plan, settings, signal), { signals, limit })
}

/** @param signal Aborted when the caller has stopped waiting for the connection. */
async function shakeHands(
  core: ClientCore,
  plan: ChannelPlan,
  settings: ConnectionSettings,
  signal: AbortSignal,
): Promise<Link> {
  for (let renewed = false; ; renewed = true) {
    const handshake = await composeHandshake(core, plan, settings)
    const factory = settings.socketFactory ?? core.socketFactory ?? (await loadFactory())
    signal.throwIfAborted()
    const link = start(core, factory, handshake, plan)
    signal.addEventListener('abort', () => link.terminate())
    try {
      await link.whenOpen
      return link
    } catch (error) {
      link.terminate()
      if (!renewed && (await renewAfter401(plan, handshake, error))) continue
      if (error instanceof UpgradeDenied) throw toSocketError(core, plan, handshake, error)
      throw noConnection(plan, handshake, (error as NetworkFailure).error)
    }
  }
}

async function loadFactory(): Promise<SocketFactory> {
  const { defaultSocketFactory } = await load(import('#socket'))
  return defaultSocketFactory()
}

function start(core: ClientCore, factory: SocketFactory, handshake: Handshake, plan: ChannelPlan): Link {
  try {
    return new Link(core.clock, handshake.scrub, (handlers) => factory(handshake.request, handlers))
  } catch (error) {
    const failure = noConnection(plan, handshake, error)
    noteCallerError(failure, 'not-sent')
    throw failure
  }
}

async function renewAfter401(plan: ChannelPlan, { secrets }: Handshake, error: unknown): Promise<boolean> {
  if (!(error instanceof UpgradeDenied) || error.response.status !== 401) return false
  // The time limit of the handshake also covers this call.
  return renewCredentials(plan.credentials, secrets)
}

async function composeHandshake(
  core: ClientCore,
  plan: ChannelPlan,
  settings: ConnectionSettings,
): Promise<Handshake> {
  const { channel, credentials } = plan
  const path = await fillAddress(plan, settings.parameters)
  const query = await callCaller(() => readQuery(settings.query), 'not-sent')
  const { queryCheck } = channel
  const found = queryCheck === undefined ? undefined : await check(queryCheck, query, channel)
  if (found !== undefined)
    throwIssues(
      channel.id,
      found.map(({ path, reason }) => ({ path: `/query${path}`, reason })),
    )
  throwIssues(channel.id, lostParameters(channel.query, query))
  const headers: string[] = []
  for (const [name, value] of core.headers) setHeader(headers, name, value)
  throwIssues(channel.id, addHeaders(headers, settings.extraHeaders ?? {}))
  const secrets = await Promise.all(
    credentials.map(async (credential) => {
      const read = credential.value
      const value =
        typeof read === 'function' ? await callCaller(() => read.call(credential), 'not-sent') : read
      return checkCredentialValue(credential, value, 'credentials')
    }),
  )
  const parameters = channel.query.map(({ name, required }) => ({ name, required, in: 'query' as const }))
  const written = writeQuery(parameters, query, settings.extraQuery)
  if (typeof written !== 'string') throw invalidHandshake(channel.id, [written])
  const addressed = withCredentials({ path: joined(path, written), headers }, credentials, secrets)
  return {
    request: {
      url: plan.origin + addressed.path,
      headers: addressed.headers,
      compression: settings.compression,
      maxMessageBytes: settings.maxMessageBytes,
      clock: core.clock,
    },
    secrets,
    scrub: collectSecrets(channel.secrets, secretsOf(credentials, secrets), {
      ...(settings.parameters as Values | undefined),
      ...query,
    }),
  }
}

function joined(path: string, query: string): string {
  return path + (path.includes('?') ? query.replace('?', '&') : query)
}

async function fillAddress({ channel, template }: ChannelPlan, given: unknown): Promise<string> {
  const { parameters = [], parametersCheck } = channel
  const defaults = parameters.flatMap(({ name, default: value }) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const values = { ...Object.fromEntries(defaults), ...(given as Values | undefined) }
  const placed = (issues: readonly Issue[]) =>
    issues.map(({ path, reason }) => ({ path: path.replace(/^(?:\/path)?/, '/parameters'), reason }))
  const found = parametersCheck === undefined ? undefined : await check(parametersCheck, values, channel)
  if (found !== undefined) throwIssues(channel.id, placed(found))
  const unknown = Object.keys(values).filter((name) =>
    parameters.every((parameter) => parameter.name !== name),
  )
  throwIssues(
    channel.id,
    unknown.map((name) => ({
      path: `/parameters/${name}`,
      reason: "is not a parameter of the channel's address",
    })),
  )
  const path = fillPath(template, values)
  if (typeof path !== 'string') throw invalidHandshake(channel.id, placed([path]))
  return path
}

async function readQuery(query: unknown): Promise<Values> {
  const given: unknown = typeof query === 'function' ? await (query as () => unknown)() : query
  return (given ?? {}) as Values
}

function throwIssues(channel: string, issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidHandshake(channel, issues)
}

function invalidHandshake(channel: string, issues: readonly Issue[]): RequestInvalidError {
  return new RequestInvalidError(
    `${channel}: the handshake doesn't match the contract, so no connection was opened. ${listIssues(issues)}`,
    issues,
    { operation: channel },
  )
}

function noConnection({ channel }: ChannelPlan, handshake: Handshake, error: unknown): unknown {
  if (ConcordError.is(error)) {
    // A socket factory doesn't know which parts of the request are secret, so its errors haven't been redacted.
    if (error.cause !== undefined)
      error.cause = safeCause(error.cause, handshake.scrub, ConcordError.is.bind(ConcordError))
    return error
  }
  return new ConnectionError(
    `${channel.id}: the connection could not be opened. Check the base URL, the network and the proxy.`,
    { phase: 'connect', sent: 'maybe' },
    { operation: channel.id, cause: safeCause(error, handshake.scrub) },
  )
}

function tooSlow({ channel }: ChannelPlan, settings: ConnectionSettings, elapsedMs: number): TimeoutError {
  const limitMs = settings.handshakeTimeoutMs
  return new TimeoutError(
    `${channel.id}: the handshake took longer than ${limitMs} ms (\`handshakeTimeoutMs\`, which includes the time to read ` +
      'the credential). Check the network, or raise the limit.',
    { limitMs, elapsedMs },
    { operation: channel.id },
  )
}

const STATUS_MESSAGES: { readonly [status: number]: string } = {
  400: 'it rejected the handshake; check the query',
  401: 'the credential is missing or was rejected; check which credential the client has, and whether it has expired',
  403: "the credential doesn't allow this connection",
  404: "it doesn't know this address; check the base URL",
  429: 'too many connections are open; close a connection, or limit them with `connectionLimit`',
}

function statusMessage(status: number): string {
  if (status >= 300 && status < 400)
    return 'a redirect, which is not followed because following it could send the credential to another server'
  if (status >= 500) return 'the problem is on its side, not in the handshake'
  return STATUS_MESSAGES[status] ?? "the status doesn't say why"
}

function toSocketError(
  core: ClientCore,
  plan: ChannelPlan,
  handshake: Handshake,
  denied: UpgradeDenied,
): SocketError {
  const { status, headers, body } = denied.response
  const { id } = plan.channel
  const explanation: unknown = addedByCaller(() => core.explain?.(parseIfJson(body), status))
  const retryAfterMs = parseRetryAfter(
    headerValue(headers, 'retry-after'),
    headerValue(headers, 'date'),
    core.clock.now(),
  )
  return new SocketError(
    'socket-denied',
    `${id}: the service responded with ${status} instead of opening the connection: ${statusMessage(status)}.` +
      (typeof explanation === 'string' && explanation !== ''
        ? ` The service says: "${handshake.scrub(explanation)}".`
        : '') +
      (body === '' ? '' : " The error's `body` contains the response."),
    { denial: { status, headers: () => toHeaders(headers), body, retryAfterMs } },
    { operation: id },
  )
}
