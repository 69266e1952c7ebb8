import { load } from '../core/async.ts'
import { OptionsError } from '../core/errors.ts'
import { coreOf, parseBaseUrl } from '../http/client-state.ts'
import type { Client } from '../http/client.ts'
import type { Credential } from '../http/credential.ts'

/** Options of {@link authorizedFetch}. @public */
export interface AuthorizedFetchOptions {
  /** Sent with every request. */
  readonly credential: Credential
  /** The address that paths are appended to. */
  readonly base: string
  /**
   * Base URLs of the service. A request to a full URL is rejected unless the URL has the origin of one of these
   * addresses.
   */
  readonly addresses: readonly string[]
  /** The lowercase names of headers that carry credentials. A request that sets one of these headers is rejected. */
  readonly credentialHeaders: readonly string[]
}

/**
 * Like `fetch`, but a path that begins with `/` is appended to the base URL. For example, `/files` with the base URL
 * `https://example.com/v1` becomes `https://example.com/v1/files`.
 *
 * @public
 */
export type AuthorizedFetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Creates a `fetch` that uses a client's connections and sends a credential. It sends requests only to the origins of
 * the options `base` and `addresses`.
 *
 * Redirects are not followed: a 3xx is returned unchanged. After a 401, the credential is renewed and the request is
 * sent once more, unless its body is a stream. Requests are not repeated for any other reason. In events, the
 * operation is `fetch` and the path is `*`, because a caller's path can contain secrets.
 *
 * @throws OptionsError if `base` or one of `addresses` is not an absolute URL.
 * @public
 */
export function authorizedFetch(client: Client, options: AuthorizedFetchOptions): AuthorizedFetch {
  const { addresses, base } = (options ?? {}) as Partial<AuthorizedFetchOptions>
  if (!Array.isArray(addresses))
    throw new OptionsError('addresses', 'must be an array.', 'Pass the base URLs of the service.')
  parseBaseUrl(base, 'base')
  const origins = new Set(options.addresses.map((address) => parseBaseUrl(address, 'addresses').origin))
  return async (input, init = {}) => {
    const core = coreOf(client, 'fetch')
    const { sendAuthorized } = await load(import('./authorized-request.ts'), {
      operation: 'fetch',
      signal: init.signal ?? undefined,
    })
    return sendAuthorized(core, { ...options, origins }, input, init)
  }
}
