import { ConcordError, ConnectionError, SocketError, TimeoutError } from '../core/errors.ts'
import { safeCause } from '../core/redact.ts'
import { load } from '../core/load.ts'
import type { ClientCore } from '../http/core.ts'
import { headerValue, toHeaders } from '../http/transport.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { composeHandshake, type Handshake } from './handshake.ts'
import { Link, NetworkFailure, Refused } from './link.ts'
import type { ChannelPlan } from './plan.ts'
import type { ConnectionSettings } from './settings.ts'
import type { SocketFactory } from './socket.ts'

/**
 * Opens one socket: query and credential read anew, checked, sent, and waited for. A 401 is tried once more where the
 * credential says that a fresh value is to be had.
 *
 * @throws SocketError when the server refuses, ConnectionError, TimeoutError, RequestInvalidError, OptionsError. An
 * abort throws the signal's own reason, and the caller's functions what they throw.
 */
export async function dial(
  core: ClientCore,
  plan: ChannelPlan,
  settings: ConnectionSettings,
  signals: readonly AbortSignal[],
): Promise<Link> {
  for (const signal of signals) signal.throwIfAborted()
  const limit = Promise.withResolvers<never>()
  // Nobody may be waiting when it comes.
  limit.promise.catch(() => undefined)
  const beganMs = core.clock.monotonic()
  const onAbort = (event: Event): void => limit.reject((event.target as AbortSignal).reason)
  for (const signal of signals) signal.addEventListener('abort', onAbort)
  const timer = core.clock.setTimer(
    () => limit.reject(tooSlow(plan, settings, core.clock.monotonic() - beganMs)),
    settings.handshakeTimeoutMs,
  )
  const within = <T>(work: Promise<T>): Promise<T> => Promise.race([limit.promise, work])
  try {
    for (let renewed = false; ; renewed = true) {
      const handshake = await within(composeHandshake(core, plan, settings))
      const factory = settings.socketFactory ?? core.socketFactory ?? (await within(loadFactory()))
      const link = start(core, factory, handshake, plan)
      try {
        await within(link.whenOpen)
        return link
      } catch (error) {
        link.terminate()
        if (!renewed && (await within(isRenewed(plan, handshake, error)))) continue
        throw toDialError(core, plan, handshake, error)
      }
    }
  } finally {
    timer.cancel()
    for (const signal of signals) signal.removeEventListener('abort', onAbort)
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
    `${channel.id}: the handshake was not done within ${limitMs} ms (handshakeTimeoutMs covers the credential too).`,
    { limitMs, elapsedMs },
    { operation: channel.id },
  )
}

const SAYS: { readonly [status: number]: string } = {
  400: 'it refused the handshake as it is; check the query',
  401: 'the credential is missing or was not accepted; check which one the client was given',
  403: 'the credential does not allow this',
  404: 'it knows no such address; check the base address',
  429: 'too many connections are open; waiting alone frees none, so end one, or limit them with a semaphore',
}

function toRefusal(core: ClientCore, plan: ChannelPlan, handshake: Handshake, refused: Refused): SocketError {
  const { status, headers, body } = refused.answer
  const { id } = plan.channel
  const says =
    SAYS[status] ?? (status >= 500 ? 'it failed; this is not about the handshake' : 'no reason known')
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
    `${id}: the service answered ${status} instead of opening the connection: ${meaning}.` +
      (explanation ? ` It says: ${handshake.scrub(explanation)}` : ''),
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
