import { bounded } from '../core/async.ts'
import { ConcordError, ConnectionError, SocketError, TimeoutError } from '../core/errors.ts'
import { load } from '../core/load.ts'
import { safeCause } from '../core/redact.ts'
import type { ClientCore } from '../http/core.ts'
import { headerValue, toHeaders } from '../http/transport.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { composeHandshake, type Handshake } from './handshake.ts'
import { Link, NetworkFailure, Refused } from './link.ts'
import type { ChannelPlan } from './plan.ts'
import type { ConnectionSettings } from './settings.ts'
import type { SocketFactory } from './socket.ts'

/**
 * Opens one socket: reads query and credential afresh, checks and sends them, and waits for the connection. After a 401
 * it tries once more if the credential says that a fresh value is available.
 *
 * @throws SocketError when the server denies it, ConnectionError, TimeoutError, RequestInvalidError, OptionsError. An
 * abort throws the signal's own reason, and the caller's functions what they throw.
 */
export function dial(
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
  return bounded((signal) => open(core, plan, settings, signal), { signals, limit })
}

/** @param signal Aborted when no one waits for the connection any more. */
async function open(
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
      if (!renewed && (await isRenewed(plan, handshake, error))) continue
      throw toDialError(core, plan, handshake, error)
    }
  }
}

async function loadFactory(): Promise<SocketFactory> {
  const { defaultSocketFactory } = await load(import('#socket'))
  return defaultSocketFactory()
}

function start(core: ClientCore, factory: SocketFactory, handshake: Handshake, plan: ChannelPlan): Link {
  const link = new Link(core.clock, handshake.scrub)
  try {
    link.use(factory(handshake.request, link))
  } catch (error) {
    if (ConcordError.is(error)) throw error
    throw noConnection(plan, handshake, error)
  }
  return link
}

async function isRenewed(plan: ChannelPlan, { secret }: Handshake, error: unknown): Promise<boolean> {
  const refused = plan.credential?.refused
  if (!(error instanceof Refused) || error.answer.status !== 401) return false
  return refused !== undefined && secret !== undefined && refused(secret)
}

/** Errors of the catalogue and the reasons of aborts pass; what the network says is put into words. */
function toDialError(core: ClientCore, plan: ChannelPlan, handshake: Handshake, error: unknown): unknown {
  if (error instanceof Refused) return toRefusal(core, plan, handshake, error)
  if (error instanceof NetworkFailure) return noConnection(plan, handshake, error.error)
  return error
}

function noConnection({ channel }: ChannelPlan, handshake: Handshake, error: unknown): unknown {
  if (ConcordError.is(error)) return error
  return new ConnectionError(
    `${channel.id}: no connection could be made. Check the base address, the network and the proxy.`,
    { phase: 'connect', sent: 'maybe' },
    { operation: channel.id, cause: safeCause(error, handshake.scrub) },
  )
}

function tooSlow({ channel }: ChannelPlan, settings: ConnectionSettings, elapsedMs: number): TimeoutError {
  const limitMs = settings.handshakeTimeoutMs
  return new TimeoutError(
    `${channel.id}: the handshake took longer than ${limitMs} ms (handshakeTimeoutMs, which covers reading the credential).`,
    { limitMs, elapsedMs },
    { operation: channel.id },
  )
}

const MEANINGS: { readonly [status: number]: string } = {
  400: 'it rejected the handshake as it is; check the query',
  401: 'the credential is missing or was not accepted; check which one the client has, and whether it has expired',
  403: "the credential doesn't allow this",
  404: "it doesn't know this address; check the base address",
  429: 'too many connections are open; close one, or limit them with a semaphore',
}

function toRefusal(core: ClientCore, plan: ChannelPlan, handshake: Handshake, refused: Refused): SocketError {
  const { status, headers, body } = refused.answer
  const { id } = plan.channel
  const says =
    MEANINGS[status] ??
    (status >= 500 ? 'the problem is on its side, not in the handshake' : 'it gives no reason in its status')
  const redirect = status >= 300 && status < 400
  const meaning = redirect ? 'a redirect, which is not followed, since a credential must not leave' : says
  const explanation = core.explain?.(parse(body), status)
  const retryAfterMs = parseRetryAfter(
    headerValue(headers, 'retry-after'),
    headerValue(headers, 'date'),
    core.clock.now(),
  )
  return new SocketError(
    'socket-refused',
    `${id}: the service responded with ${status} instead of opening the connection: ${meaning}.` +
      (explanation ? ` It says: ${handshake.scrub(explanation)}` : '') +
      (body === '' ? '' : ' `body` has its whole response.'),
    { refusal: { status, headers: () => toHeaders(headers), body, retryAfterMs } },
    { operation: id },
  )
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
