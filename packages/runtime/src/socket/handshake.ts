import { check, listIssues } from '../core/check.ts'
import { type Issue, RequestInvalidError } from '../core/errors.ts'
import type { Scrub } from '../core/redact.ts'
import { checkCredentialValue } from '../http/authorize.ts'
import type { ClientCore } from '../http/core.ts'
import { addHeaders, setHeader } from '../http/headers.ts'
import { lostParameters, type Values, writeQuery } from '../http/path.ts'
import { collectSecrets } from '../http/secrets.ts'
import type { ChannelPlan } from './plan.ts'
import type { ConnectionSettings } from './settings.ts'
import type { SocketRequest } from './socket.ts'

/** A handshake, ready to be made, and what must not be shown of it. */
export interface Handshake {
  readonly request: SocketRequest
  readonly secret: string | undefined
  readonly scrub: Scrub
}

/**
 * Writes a handshake: a fresh query, where the caller gave a function, and a fresh credential.
 *
 * @throws RequestInvalidError, with nothing opened. What the caller's functions throw passes unchanged.
 */
export async function composeHandshake(
  core: ClientCore,
  plan: ChannelPlan,
  settings: ConnectionSettings,
): Promise<Handshake> {
  const { channel, credential } = plan
  const query = await readQuery(settings.query)
  const { queryCheck } = channel
  const found = queryCheck === undefined ? undefined : await check(queryCheck, query, channel)
  if (found !== undefined)
    refuse(
      channel.id,
      found.map(({ path, reason }) => ({ path: `/query${path}`, reason })),
    )
  refuse(channel.id, lostParameters(channel.query, query))
  const headers: string[] = []
  for (const [name, value] of core.headers) setHeader(headers, name, value)
  refuse(channel.id, addHeaders(headers, settings.extraHeaders ?? {}))
  let secret: string | undefined
  if (credential !== undefined) {
    const value = typeof credential.value === 'function' ? await credential.value() : credential.value
    secret = checkCredentialValue(credential, value, 'credentials')
    setHeader(headers, credential.name, (credential.prefix ?? '') + secret)
  }
  const parameters = channel.query.map(({ name, required }) => ({ name, required, in: 'query' as const }))
  const written = writeQuery(parameters, query, settings.extraQuery)
  if (typeof written !== 'string') {
    refuse(channel.id, [written])
    throw new TypeError('unreachable')
  }
  return {
    request: {
      url: plan.address + written,
      headers,
      compression: settings.compression,
      maxMessageBytes: settings.maxMessageBytes,
      clock: core.clock,
    },
    secret,
    scrub: collectSecrets(channel.secrets, secret, query),
  }
}

async function readQuery(query: unknown): Promise<Values> {
  const given: unknown = typeof query === 'function' ? await (query as () => unknown)() : query
  return (given ?? {}) as Values
}

function refuse(channel: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return
  throw new RequestInvalidError(
    `${channel}: the handshake is not what the contract says; nothing was opened. ${listIssues(issues)}`,
    issues,
    { operation: channel },
  )
}
