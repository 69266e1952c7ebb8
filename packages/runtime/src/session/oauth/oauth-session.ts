import { authorizeDevice } from '../../device-flow/authorize-device.ts'
import type { DeviceFlowOptions } from '../../device-flow/authorize-device.ts'
import type { DeviceCodeRecord } from '../../device-flow/authorize-device.ts'
import { systemClock } from '../../core/clock.ts'
import { OptionsError } from '../../core/errors.ts'
import {
  checkOptionNames,
  methodsOption,
  type OptionNames,
  requiredString,
} from '../../core/option-checks.ts'
import { TokenSession } from '../token-session.ts'
import type { TokenSessionOptions } from '../refresh-run.ts'
import type { IssuedTokens, TokenStore } from '../token-store.ts'
import {
  errorCodeOf,
  OAUTH_CLIENT,
  OAUTH_OPERATION,
  type OAuthClient,
  OAuthEndpoints,
  type OAuthFlow,
  type PostOptions,
  readTokens,
  type ScopeOf,
} from './token-endpoint.ts'

/** Options of a user's session: the client, and where the session is stored. @public */
export interface OAuthSessionOptions extends OAuthClient {
  /**
   * Where the tokens are stored: `memoryTokenStore()`, `fileTokenStore()` from `@concord/runtime/session/node`, or
   * your own store.
   */
  readonly store: TokenStore
  /** Whether to refresh the access token before it expires, even if no call needs a token. Default: false. */
  readonly keepFresh?: boolean | undefined
}

const SESSION: OptionNames<Omit<OAuthSessionOptions, keyof OAuthClient>> = { store: true, keepFresh: true }

/** The names of the options that a function accepts in addition to {@link OAuthSessionOptions}. */
export type AddedNames<Options extends OAuthSessionOptions> = OptionNames<
  Omit<Options, keyof OAuthSessionOptions>
>

/** Checks the arguments that all OAuth functions share. {@link OAuthEndpoints} checks its own options. */
export function checkOAuth(
  flow: OAuthFlow,
  options: Pick<OAuthClient, 'clientId'>,
  names: OptionNames<Pick<OAuthClient, 'clientId'>>,
): void {
  if (typeof flow !== 'object' || flow === null)
    throw new OptionsError(
      'flow',
      flow === undefined ? '`flow` is missing.' : '`flow` must be an object.',
      "Pass a flow from the contract, such as { tokenUrl: 'https://...' }.",
    )
  checkOptionNames(options, names, 'options')
  requiredString(options.clientId, 'clientId', 'Pass the client id that the service issued.')
}

/** @throws OptionsError if an option is missing, unknown or invalid. */
export function checkOAuthSession(
  flow: OAuthFlow,
  options: OAuthSessionOptions,
  added: AddedNames<OAuthSessionOptions> = {},
): OAuthEndpoints {
  // The names are merged here and not in a constant, because bundlers keep an unused constant that contains a spread.
  checkOAuth(flow, options, { ...OAUTH_CLIENT, ...SESSION, ...added })
  const { store, keepFresh } = options
  const remedy = 'Pass memoryTokenStore(), fileTokenStore(path), or an object that implements TokenStore.'
  if (store === undefined) throw new OptionsError('store', 'is missing.', remedy)
  methodsOption(store, 'store', ['read', 'exclusive'], remedy)
  if (keepFresh !== undefined && typeof keepFresh !== 'boolean')
    throw new OptionsError('keepFresh', 'must be true or false.', 'Pass true or false, or omit the option.')
  const endpoints = new OAuthEndpoints(flow, options)
  endpoints.retryAt(endpoints.refresh)
  return endpoints
}

export function scopeField(scopes: readonly string[] | undefined): string | undefined {
  if (scopes === undefined) return undefined
  if (Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'))
    return scopes.join(' ') || undefined
  throw new OptionsError(
    'scopes',
    'must be an array of strings.',
    "Pass an array such as ['read'], or omit the option.",
  )
}

export function fieldsOption(value: unknown, option: string): Readonly<Record<string, string>> {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const wrong = Object.entries(value).find(([, field]) => typeof field !== 'string')
    if (wrong === undefined) return value as Record<string, string>
    throw new OptionsError(
      `${option}.${wrong[0]}`,
      `\`${option}.${wrong[0]}\` must be a string.`,
      'Pass a string, or omit the field.',
    )
  }
  throw new OptionsError(
    option,
    'must be an object.',
    "Pass an object whose values are strings, such as { audience: 'x' }, or omit the option.",
  )
}

/**
 * Resumes the session in the store, and sends no request. Returns `undefined` if the store is empty, or if the
 * session is known to be unusable: for example, because the service rejected its refresh token. The session refreshes
 * its access token with the refresh token grant (RFC 6749, section 6).
 *
 * @throws OptionsError if an option is missing, unknown or invalid.
 * @public
 */
export async function resumeOAuth(
  flow: OAuthFlow,
  options: OAuthSessionOptions,
): Promise<TokenSession | undefined> {
  return TokenSession.resume(sessionOptions(checkOAuthSession(flow, options), options))
}

export async function beginOAuth(
  endpoints: OAuthEndpoints,
  options: OAuthSessionOptions,
  form: Readonly<Record<string, string | undefined>>,
  call: PostOptions,
): Promise<TokenSession> {
  const askedAtMs = (options.clock ?? systemClock).now()
  const response = await endpoints.post('tokenUrl', form, call)
  return TokenSession.begin(sessionOptions(endpoints, options), readTokens(response), askedAtMs)
}

/** Options of {@link passwordSession}. @public */
export interface PasswordSessionOptions<Scope extends string = string> extends OAuthSessionOptions {
  readonly username: string
  readonly password: string
  readonly scopes?: readonly Scope[] | undefined
}

const PASSWORD: AddedNames<PasswordSessionOptions> = {
  username: true,
  password: true,
  scopes: true,
}

/**
 * Begins a session with a user's own password (the password grant: RFC 6749, section 4.3). RFC 9700, section 2.4,
 * forbids the password grant, so use this function only if the service offers no other grant.
 *
 * @throws ApiError if the server rejects the password; OptionsError if an option is missing, unknown or invalid.
 * @public
 */
export async function passwordSession<const Flow extends OAuthFlow>(
  flow: Flow,
  options: PasswordSessionOptions<ScopeOf<Flow>>,
): Promise<TokenSession> {
  const endpoints = checkOAuthSession(flow, options, PASSWORD)
  const { scopes } = options
  const username = requiredString(options.username, 'username', 'Pass the name of the user.')
  const password = requiredString(options.password, 'password', 'Pass the password of the user.')
  const form = { grant_type: 'password', username, password, scope: scopeField(scopes) }
  return beginOAuth(endpoints, options, form, { repeat: 'harmless' })
}

/** Options of {@link deviceSession}. @public */
export interface DeviceSessionOptions<Scope extends string = string>
  extends OAuthSessionOptions, Pick<DeviceFlowOptions, 'onPrompt' | 'onUpdate' | 'deadline'> {
  readonly scopes?: readonly Scope[] | undefined
}

const DEVICE: AddedNames<DeviceSessionOptions> = {
  scopes: true,
  onPrompt: true,
  onUpdate: true,
  deadline: true,
}

/**
 * Begins a session with the device authorization grant (RFC 8628): the user approves the session on another device.
 *
 * @throws DeviceAuthorizationError if the user denies the request or the code expires; OptionsError if an option is
 * missing, unknown or invalid; and the other errors of `authorizeDevice`.
 * @public
 */
export async function deviceSession<const Flow extends OAuthFlow>(
  flow: Flow,
  options: DeviceSessionOptions<ScopeOf<Flow>>,
): Promise<TokenSession> {
  const endpoints = checkOAuthSession(flow, options, DEVICE)
  const { onPrompt, onUpdate, deadline } = options
  const scope = scopeField(options.scopes)
  // Throws now if the flow has no `tokenUrl`, instead of after the user has approved.
  endpoints.retryAt('tokenUrl')
  const clock = options.clock ?? systemClock
  let issued: IssuedTokens | undefined
  let session: TokenSession | undefined
  let askedAtMs = clock.now()
  await authorizeDevice({
    requestCode: async (signal) => {
      const form = { client_id: options.clientId, scope }
      const response = await endpoints.post('deviceAuthorizationUrl', form, { repeat: 'safe', signal })
      return response as unknown as DeviceCodeRecord
    },
    async pollToken(device_code, signal) {
      askedAtMs = clock.now()
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code,
        client_id: options.clientId,
      }
      try {
        const response = await endpoints.post('tokenUrl', form, { signal })
        // Some servers report an error with a success status and an error code in the body.
        if (typeof response['error'] === 'string' && response['access_token'] === undefined)
          return { error: response['error'], key: null }
        issued = readTokens(response)
        return { error: null, key: issued.accessToken }
      } catch (error) {
        const code = errorCodeOf(error)
        if (code === undefined) throw error
        return { error: code, key: null }
      }
    },
    async save() {
      session = await TokenSession.begin(sessionOptions(endpoints, options), issued!, askedAtMs)
    },
    onPrompt,
    onUpdate,
    deadline,
    signal: options.signal,
    clock: options.clock,
    emit: options.observe,
    operation: OAUTH_OPERATION,
  })
  return session!
}

function sessionOptions(endpoints: OAuthEndpoints, options: OAuthSessionOptions): TokenSessionOptions {
  const { store, keepFresh, clock, random, signal, observe } = options
  return {
    store,
    // The server may limit the rate of refreshes; its limit is unknown.
    rate: 'limited',
    retry: endpoints.retryAt(endpoints.refresh),
    async refresh(refreshToken) {
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
      const response = await endpoints.post(endpoints.refresh, form)
      // If the response has no new refresh token, the old one stays valid: RFC 6749, section 6.
      return readTokens(response, refreshToken)
    },
    outcomeOf(error) {
      const code = errorCodeOf(error)
      if (code === 'invalid_grant') return 'rejected'
      return code === undefined ? undefined : 'not-presented'
    },
    keepFresh: keepFresh ?? false,
    ...(clock && { clock }),
    ...(random && { random }),
    ...(signal && { signal }),
    ...(observe && { emit: observe }),
  }
}
