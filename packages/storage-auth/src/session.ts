import {
  apiKeyCredential,
  type CallOptions,
  type Client,
  createClient,
  type ClientOptions,
  ConnectionError,
  type Credential,
} from '@concord/runtime'
import type { SecretSource, SecretStore } from '@concord/runtime/internal'
import { authorizedFetch, type AuthorizedFetch, type TokenSession } from '@concord/runtime/session'
import type { User } from '@concord/storage-auth-validators'

import { type ApiKeys, apiKeysOf, NO_KEY_MANAGEMENT } from './api-keys.ts'
import { SignInRequiredError } from './errors.ts'

type SessionCredential = { readonly tokens: TokenSession } | { readonly apiKey: SecretSource }

/** The credential headers of the data endpoints. A session sets exactly one of them. */
const CREDENTIAL_HEADERS = ['authorization', 'x-api-key']

/**
 * A session with the storage service: sends requests with the session's credential, manages API keys, and provides
 * access tokens to other clients.
 *
 * `inspect`, `JSON.stringify` and `String` never show the session's secrets.
 *
 * @public
 */
export class Session implements AsyncDisposable {
  /** `tokens`: uses the access token of a user. `api-key`: uses only the API key. */
  readonly kind: 'tokens' | 'api-key'
  /** The signed-in user's keys. If the session has only an API key, every call is rejected before anything is sent. */
  readonly apiKeys: ApiKeys
  /**
   * Like the global `fetch`, but sends the session's credential. A path such as `/v1/projects` is appended to the
   * whole `dataUrl`, including its path prefix. A URL whose origin isn't the service's is rejected with an
   * OptionsError before anything is sent. Redirects are not followed. A 401 causes at most one refresh and one retry.
   */
  readonly fetch: AuthorizedFetch
  readonly #client: Client
  /** `undefined` if the session uses only an API key. */
  readonly #tokens: TokenSession | undefined
  readonly #onClose: (session: Session) => void
  readonly #closing = new AbortController()

  /** @internal */
  constructor(credential: SessionCredential, options: ClientOptions, onClose: (session: Session) => void) {
    this.#tokens = 'tokens' in credential ? credential.tokens : undefined
    this.kind = this.#tokens === undefined ? 'api-key' : 'tokens'
    this.#onClose = onClose
    const header: Credential =
      'tokens' in credential ? credential.tokens.credential : apiKeyCredential(credential.apiKey, 'X-API-Key')
    const authUrl = options.servers['authUrl'] ?? ''
    const dataUrl = options.servers['dataUrl'] ?? ''
    const { signal: closed } = this.#closing
    const signal = options.signal === undefined ? closed : AbortSignal.any([closed, options.signal])
    // `header` is passed as `accessToken` even if it is an API key. This does no harm: only the operations of
    // `apiKeys` use `accessToken`, and a session with an API key sends none of them.
    this.#client = createClient({ ...options, signal, credentials: { accessToken: header } })
    this.apiKeys = this.kind === 'tokens' ? apiKeysOf(this.#client) : NO_KEY_MANAGEMENT
    this.fetch = authorizedFetch(this.#client, {
      credential: header,
      base: dataUrl,
      addresses: [authUrl, dataUrl],
      credentialHeaders: CREDENTIAL_HEADERS,
    })
  }

  /**
   * The user that the sign-in or the last refresh returned. `undefined` with an API key, or if the user is unknown.
   */
  get user(): User | undefined {
    return (this.#tokens?.details as { user?: User } | undefined)?.user
  }

  /** When the access token expires, in milliseconds since the Unix epoch, if known. */
  get expiresAtMs(): number | undefined {
    return this.#tokens?.expiresAtMs
  }

  /**
   * A source of access tokens for other clients: a `SecretStore` (`{ get, rejected }`). Each request of those clients
   * uses the current token. If the service rejects that token, all requests share one refresh.
   *
   * @example
   * ```ts
   * const speech = createClient({ servers, credentials: { accessToken: bearerCredential(session.tokens) } })
   * ```
   * @throws SignInRequiredError if there is only an API key.
   */
  get tokens(): Required<SecretStore> {
    return this.#needTokens('tokens').tokens
  }

  /**
   * Returns an access token that is valid now.
   *
   * @throws SessionLostError if the session is lost; SignInRequiredError if there is only an API key.
   */
  async accessToken(options: Pick<CallOptions, 'signal'> = {}): Promise<string> {
    return this.#needTokens('accessToken').accessToken(options.signal)
  }

  /** Refreshes the session now, even if the access token is still valid. @throws SessionLostError */
  async refresh(options: Pick<CallOptions, 'signal'> = {}): Promise<void> {
    await this.#needTokens('refresh').refresh(options.signal)
  }

  /**
   * Removes the session from the store and from this process. No request is sent, because no sign-out is documented; the
   * tokens stay valid until they expire. With an API key, there is nothing to remove.
   */
  async forget(): Promise<void> {
    await this.#tokens?.forget()
    await this.close()
  }

  /**
   * Ends calls and connections, and stops refreshing. If a refresh has already been sent, `close` waits for its
   * response. Afterward, `fetch` and `apiKeys` throw, but `accessToken()` and `tokens` return the access token until
   * it expires. The session remains in the store, and the client's `resume()` opens it again.
   */
  async close(): Promise<void> {
    await this.#tokens?.close()
    this.#closing.abort(
      new ConnectionError(
        'This session is closed and sends nothing. Open another one with resume() or signIn().',
        { phase: 'connect', sent: 'no' },
      ),
    )
    await this.#client.close()
    this.#onClose(this)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  toJSON(): Record<string, unknown> {
    return { kind: this.kind, user: this.user?.id, expiresAtMs: this.expiresAtMs }
  }

  #needTokens(what: string): TokenSession {
    if (this.#tokens !== undefined) return this.#tokens
    throw new SignInRequiredError(what, true)
  }
}
