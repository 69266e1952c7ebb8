import { type Clock, systemClock } from '../../core/clock.ts'
import { AuthorizationError, OptionsError } from '../../core/errors.ts'
import { type OptionNames, requiredString } from '../../core/option-checks.ts'
import type { SecretStore } from '../../http/credential.ts'
import { toStored } from '../token-store.ts'
import { PAUSE_AFTER_FAILURE_MS, type TokenSession } from '../token-session.ts'
import { isDue, isRecentReplacement, isUsable, type StoredSession } from '../token-store.ts'
import {
  beginOAuth,
  checkOAuth,
  checkOAuthSession,
  fieldsOption,
  type OAuthSessionOptions,
  scopeField,
} from './oauth-session.ts'
import {
  flowUrl,
  OAUTH_CLIENT,
  type OAuthClient,
  OAuthEndpoints,
  type OAuthFlow,
  readTokens,
  type ScopeOf,
} from './token-endpoint.ts'

/** The parameters of a sign-in request. @public */
export interface AuthorizationRequest<Scope extends string = string> {
  readonly clientId: string
  /** The URL that the server sends the user back to. It must be registered with the server. */
  readonly redirectUri: string
  readonly scopes?: readonly Scope[] | undefined
  /** Further parameters of the sign-in request, such as `prompt` or `audience`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

const REQUEST: OptionNames<AuthorizationRequest> = {
  clientId: true,
  redirectUri: true,
  scopes: true,
  parameters: true,
}

/**
 * A sign-in that has begun. Keep it until the user comes back, and use it only for this user. Keep it secret, because
 * it contains `codeVerifier`. This object is plain data, so a web server can store it in the user's web session.
 *
 * @public
 */
export interface StartedAuthorization {
  /** Send the user to this URL. */
  readonly url: string
  readonly state: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

/**
 * Begins a sign-in with the authorization code grant (RFC 6749, section 4.1) and PKCE (RFC 7636).
 *
 * @throws OptionsError if the flow has no `authorizationUrl`, or an option is missing, unknown or invalid.
 * @public
 */
export async function startAuthorization<const Flow extends OAuthFlow>(
  flow: Flow,
  request: AuthorizationRequest<ScopeOf<Flow>>,
): Promise<StartedAuthorization> {
  checkOAuth(flow, request, REQUEST)
  const { clientId, scopes } = request
  const redirectUri = requiredString(request.redirectUri, 'redirectUri', REDIRECT)
  if (URL.parse(redirectUri) === null)
    throw new OptionsError('redirectUri', 'is not an absolute URL.', REDIRECT)
  const parameters = fieldsOption(request.parameters, 'parameters')
  const url = flowUrl(flow, 'authorizationUrl')
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
  }
  const taken = Object.keys(parameters).find((name) => Object.hasOwn(query, name))
  if (taken !== undefined)
    throw new OptionsError(
      `parameters.${taken}`,
      `\`parameters.${taken}\` is set by startAuthorization() itself.`,
      taken === 'scope' ? 'Pass `scopes` instead.' : 'Omit the parameter.',
    )
  for (const [name, value] of Object.entries({ ...query, ...parameters }))
    if (value !== undefined) url.searchParams.set(name, value)
  return { url: url.href, state, codeVerifier, redirectUri }
}

const REDIRECT = 'Pass the URL that is registered with the service, such as https://app.example.com/callback.'

/**
 * Completes a sign-in: takes the code from the callback URL, exchanges it for tokens, and stores the session.
 *
 * @param callbackUrl The whole URL that the server sent the user to, or its query, which begins with `?`.
 * @throws AuthorizationError if the user or the server denied the sign-in; ApiError if the server rejects the code;
 * OptionsError if the URL belongs to another sign-in, or an option is missing, unknown or invalid. After an
 * OptionsError, the code is still unused.
 * @public
 */
export async function finishAuthorization(
  flow: OAuthFlow,
  started: StartedAuthorization,
  callbackUrl: string | URL,
  options: OAuthSessionOptions,
): Promise<TokenSession> {
  const endpoints = checkOAuthSession(flow, options)
  return beginOAuth(endpoints, options, codeForm(started, callbackUrl), { repeat: 'spent' })
}

/** Returns the form fields of a request that exchanges a code for tokens. Throws like {@link finishAuthorization}. */
export function codeForm(started: StartedAuthorization, callbackUrl: string | URL): Record<string, string> {
  checkStarted(started)
  const response = URL.parse(callbackUrl, started.redirectUri)?.searchParams
  if (response === undefined) throw new OptionsError('callbackUrl', 'is not a URL.', WHOLE_URL)
  const state = response.get('state')
  if (state === null) throw new OptionsError('callbackUrl', 'has no `state`. Nothing was sent.', WHOLE_URL)
  if (state !== started.state) {
    throw new OptionsError(
      'callbackUrl',
      'has the `state` of another sign-in, so the URL may come from someone else. Nothing was sent.',
      'Start again with startAuthorization().',
    )
  }
  const denied = response.get('error')
  if (denied !== null) {
    throw new AuthorizationError(
      denied === 'access_denied' ? 'authorization-denied' : 'authorization-failed',
      `The sign-in failed: ${denied.slice(0, 200)}. Start another sign-in to try again.`,
    )
  }
  const code = response.get('code')
  if (code === null || code === '')
    throw new OptionsError('callbackUrl', 'has no `code`. Nothing was sent.', WHOLE_URL)
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: started.redirectUri,
    code_verifier: started.codeVerifier,
  }
}

const WHOLE_URL = 'Pass the whole URL that the server sent the user to, or its query, which begins with `?`.'

function checkStarted(started: unknown): void {
  const { state, codeVerifier, redirectUri } = (started ?? {}) as Partial<Record<string, unknown>>
  if ([state, codeVerifier, redirectUri].every((member) => typeof member === 'string' && member !== ''))
    return
  throw new OptionsError(
    'started',
    'lacks `state`, `codeVerifier` or `redirectUri`. Nothing was sent.',
    'Pass the return value of startAuthorization() for this user, unchanged.',
  )
}

/** Returns 256 random bits (the size that RFC 7636 recommends for a verifier) as a base64url string. */
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
  /** The scopes to request. Default: the scopes that the server grants if none are requested. */
  readonly scopes?: readonly Scope[] | undefined
  /** Further fields of the token request, such as `audience` or `resource`, if the server requires them. */
  readonly fields?: Readonly<Record<string, string>> | undefined
}

/**
 * Returns a source of access tokens for a program that acts on its own behalf, not for a user. The source requests
 * the tokens with the client credentials grant (RFC 6749, section 4.4).
 *
 * The first API call that needs a token requests it, and all API calls share this token. A new token is requested in
 * the background before the current token expires, or at once if the service rejects the current token with a 401.
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
 * @throws OptionsError if the flow has no `tokenUrl`, or an option is missing, unknown or invalid.
 * @public
 */
export function clientCredentials<const Flow extends OAuthFlow>(
  flow: Flow,
  options: ClientCredentialsOptions<ScopeOf<Flow>>,
): Required<SecretStore> {
  checkOAuth(flow, options, { ...OAUTH_CLIENT, ...CREDENTIALS })
  return new GrantedTokens(flow, options)
}

const CREDENTIALS: OptionNames<Omit<ClientCredentialsOptions, keyof OAuthClient>> = {
  scopes: true,
  fields: true,
}

/** All fields are private, so that printing an instance shows no token. */
class GrantedTokens implements Required<SecretStore> {
  readonly #clock: Clock
  readonly #endpoints: OAuthEndpoints
  readonly #form: Readonly<Record<string, string | undefined>>
  #known: StoredSession | undefined
  #running: Promise<StoredSession> | undefined
  /** The earliest time of the next background request, on the monotonic clock. */
  #pausedUntilMs = -Infinity

  constructor(flow: OAuthFlow, options: ClientCredentialsOptions) {
    this.#clock = options.clock ?? systemClock
    this.#endpoints = new OAuthEndpoints(flow, options)
    // Reports an invalid option now, not with the first request.
    this.#endpoints.retryAt('tokenUrl')
    this.#form = {
      grant_type: 'client_credentials',
      scope: scopeField(options.scopes),
      ...fieldsOption(options.fields, 'fields'),
    }
  }

  get(): string | Promise<string> {
    const nowMs = this.#clock.now()
    if (this.#known === undefined || !isUsable(this.#known, nowMs))
      return this.#request(undefined).then(({ accessToken }) => accessToken)
    if (isDue(this.#known, nowMs)) this.#requestAhead()
    return this.#known.accessToken
  }

  async rejected(accessToken: string): Promise<boolean> {
    if (this.#known?.accessToken !== accessToken) return true
    // Without this check, a service that rejects every token would cause a token request for each call.
    if (isRecentReplacement(this.#known, this.#clock.now())) return false
    return (await this.#request(accessToken)).accessToken !== accessToken
  }

  #requestAhead(): void {
    if (this.#clock.monotonic() < this.#pausedUntilMs) return
    this.#request(undefined).catch(() => {
      this.#pausedUntilMs = this.#clock.monotonic() + PAUSE_AFTER_FAILURE_MS
    })
  }

  /** Calls that overlap share one request. */
  #request(rejected: string | undefined): Promise<StoredSession> {
    this.#running ??= this.#ask(rejected).finally(() => (this.#running = undefined))
    return this.#running
  }

  async #ask(rejected: string | undefined): Promise<StoredSession> {
    const askedAtMs = this.#clock.now()
    const response = await this.#endpoints.post('tokenUrl', this.#form, { repeat: 'safe' })
    const stored = toStored(readTokens(response), askedAtMs)
    this.#known = rejected === undefined ? stored : { ...stored, early: true }
    return this.#known
  }
}
