import { type Clock, systemClock } from '../../core/clock.ts'
import { AuthorizationError, OptionsError } from '../../core/errors.ts'
import { checkOptionNames, type OptionNames } from '../../core/option-checks.ts'
import type { SecretStore } from '../../http/credential.ts'
import { toStored } from '../refresh-run.ts'
import { PAUSE_AFTER_FAILURE_MS, type TokenSession } from '../token-session.ts'
import { isDue, isJustReplaced, isUsable, type StoredSession } from '../token-store.ts'
import { beginOAuth, OAUTH_SESSION, type OAuthSessionOptions } from './oauth-session.ts'
import {
  OAUTH_CLIENT,
  type OAuthClient,
  OAuthEndpoints,
  type OAuthFlow,
  readTokens,
  scopeField,
  type ScopeOf,
  toUrl,
} from './token-endpoint.ts'

/** The request of a sign-in. @public */
export interface AuthorizationRequest<Scope extends string = string> {
  readonly clientId: string
  /** Where the server sends the user back to; registered there. */
  readonly redirectUri: string
  readonly scopes?: readonly Scope[] | undefined
  /** Further parameters of the address, such as `prompt` or `audience`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

const REQUEST: OptionNames<AuthorizationRequest> = {
  clientId: true,
  redirectUri: true,
  scopes: true,
  parameters: true,
}

/**
 * A sign-in that has begun. Keep it until the user comes back, for this user alone: `codeVerifier` is secret. It is plain data, so
 * that a web server can put it into the user's own session.
 *
 * @public
 */
export interface StartedAuthorization {
  /** Where to send the user. */
  readonly url: string
  readonly state: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

/**
 * Begins a sign-in with the authorization code grant (RFC 6749, section 4.1) and PKCE (RFC 7636).
 *
 * @throws OptionsError if the flow has no address for it, or an option is unknown.
 * @public
 */
export async function startAuthorization<const Flow extends OAuthFlow>(
  flow: Flow,
  request: AuthorizationRequest<ScopeOf<Flow>>,
): Promise<StartedAuthorization> {
  checkOptionNames(request, REQUEST, 'options')
  const { clientId, redirectUri, scopes, parameters } = request
  const url = toUrl(flow.authorizationUrl, 'authorizationUrl')
  const state = randomText()
  const codeVerifier = randomText()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopeField(scopes),
    state,
    code_challenge: toBase64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...parameters,
  }
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value)
  return { url: url.href, state, codeVerifier, redirectUri }
}

/**
 * Ends a sign-in: exchanges the code in the address that the user came back to, and keeps the session.
 *
 * @param callbackUrl The whole address that the server sent the user to, or its query.
 * @throws AuthorizationError if the user or the server denied it; OptionsError if the address belongs to another sign-in; ApiError
 * if the server rejects the code.
 * @public
 */
export async function finishAuthorization(
  flow: OAuthFlow,
  started: StartedAuthorization,
  callbackUrl: string | URL,
  options: OAuthSessionOptions,
): Promise<TokenSession> {
  checkOptionNames(options, OAUTH_SESSION, 'options')
  const response = URL.parse(callbackUrl, started.redirectUri)?.searchParams
  if (response === undefined)
    throw new OptionsError('callbackUrl', '`callbackUrl` is not an address.', 'Pass the whole address.')
  if (response.get('state') !== started.state) {
    throw new OptionsError(
      'callbackUrl',
      '`callbackUrl` has the `state` of another sign-in, so it may come from someone else. Nothing was sent.',
      'Start again with startAuthorization().',
    )
  }
  const denied = response.get('error')
  if (denied !== null) {
    throw new AuthorizationError(
      denied === 'access_denied' ? 'authorization-denied' : 'authorization-failed',
      `The sign-in ended without a code: ${denied.slice(0, 200)}. Start again to try once more.`,
    )
  }
  const code = response.get('code')
  if (code === null || code === '')
    throw new OptionsError('callbackUrl', '`callbackUrl` has no code.', 'Pass the whole address.')
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: started.redirectUri,
    code_verifier: started.codeVerifier,
  }
  return beginOAuth(flow, options, form, 'spent')
}

/** 256 bits, which is what RFC 7636 recommends for a verifier. */
function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Options of {@link clientCredentials}. @public */
export interface ClientCredentialsOptions<Scope extends string = string> extends OAuthClient {
  /** The scopes to ask for. Default: those that the server grants by itself. */
  readonly scopes?: readonly Scope[] | undefined
  /** Further fields of the form, such as `audience` or `resource`, if the server asks for them. */
  readonly fields?: Readonly<Record<string, string>> | undefined
}

/**
 * Returns a source of access tokens for a service that acts for itself: the client credentials grant (RFC 6749, section
 * 4.4).
 *
 * The first call asks for a token, and all calls share it. Another one is requested in the background before it expires, and at
 * once if the service rejects it with a 401.
 *
 * @example
 * ```ts
 * import { clientCredentials } from '@concord/runtime/session'
 *
 * const flow = { tokenUrl: 'https://id.example.com/token', scopes: { 'orders.read': 'Reads orders.' } }
 * const tokens = clientCredentials(flow, {
 *   clientId: 'the id',
 *   clientSecret: () => 'the secret',
 *   scopes: ['orders.read'],
 * })
 * ```
 *
 * @throws OptionsError if the client has no id, or an option is unknown.
 * @public
 */
export function clientCredentials<const Flow extends OAuthFlow>(
  flow: Flow,
  options: ClientCredentialsOptions<ScopeOf<Flow>>,
): Required<SecretStore> {
  checkOptionNames(options, NAMES, 'options')
  return new GrantedTokens(flow, options)
}

const NAMES: OptionNames<ClientCredentialsOptions> = { ...OAUTH_CLIENT, scopes: true, fields: true }

/** All fields are private, so that printing it shows no token. */
class GrantedTokens implements Required<SecretStore> {
  readonly #flow: OAuthFlow
  readonly #options: ClientCredentialsOptions
  readonly #endpoints: OAuthEndpoints
  #known: StoredSession | undefined
  #running: Promise<StoredSession> | undefined
  /** When the next request ahead of expiry may be sent, on the monotonic clock. */
  #pausedUntilMs = -Infinity

  constructor(flow: OAuthFlow, options: ClientCredentialsOptions) {
    this.#flow = flow
    this.#options = options
    this.#endpoints = new OAuthEndpoints(options)
  }

  get(): string | Promise<string> {
    const nowMs = this.#nowMs()
    if (this.#known === undefined || !isUsable(this.#known, nowMs))
      return this.#request(undefined).then(({ accessToken }) => accessToken)
    if (isDue(this.#known, nowMs)) this.#requestAhead()
    return this.#known.accessToken
  }

  async rejected(accessToken: string): Promise<boolean> {
    if (this.#known?.accessToken !== accessToken) return true
    // A service that rejects every token would cost a request for each call.
    if (isJustReplaced(this.#known, this.#nowMs())) return false
    return (await this.#request(accessToken)).accessToken !== accessToken
  }

  get #clock(): Clock {
    return this.#options.clock ?? systemClock
  }

  #nowMs(): number {
    return this.#clock.now()
  }

  /** In the background. A failure shows when the token has expired; until then, not every call tries again. */
  #requestAhead(): void {
    if (this.#clock.monotonic() < this.#pausedUntilMs) return
    this.#request(undefined).catch(() => {
      this.#pausedUntilMs = this.#clock.monotonic() + PAUSE_AFTER_FAILURE_MS
    })
  }

  /** One request at a time, for all calls. */
  #request(rejected: string | undefined): Promise<StoredSession> {
    this.#running ??= this.#ask(rejected).finally(() => (this.#running = undefined))
    return this.#running
  }

  async #ask(rejected: string | undefined): Promise<StoredSession> {
    const { scopes, fields } = this.#options
    const askedAtMs = this.#nowMs()
    const form = { grant_type: 'client_credentials', scope: scopeField(scopes), ...fields }
    const response = await this.#endpoints.post(this.#flow.tokenUrl, form, {
      option: 'tokenUrl',
      repeat: 'safe',
    })
    const stored = toStored(readTokens(response), askedAtMs)
    this.#known = rejected === undefined ? stored : { ...stored, early: true }
    return this.#known
  }
}
