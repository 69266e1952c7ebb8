import { authorizeDevice } from '../../device-flow/authorize-device.ts'
import type { DeviceFlowOptions } from '../../device-flow/authorize-device.ts'
import type { DeviceCodeRecord } from '../../device-flow/record.ts'
import { systemClock } from '../../core/clock.ts'
import { checkOptionNames, type OptionNames } from '../../core/option-checks.ts'
import { TokenSession } from '../token-session.ts'
import type { IssuedTokens, TokenSessionOptions } from '../refresh-run.ts'
import type { TokenStore } from '../token-store.ts'
import {
  errorCodeOf,
  OAUTH_CLIENT,
  OAUTH_OPERATION,
  type OAuthClient,
  OAuthEndpoints,
  type OAuthFlow,
  readTokens,
  scopeField,
  type ScopeOf,
} from './token-endpoint.ts'

/** Options of a session of a user: the client, and where the session is kept. @public */
export interface OAuthSessionOptions extends OAuthClient {
  /** Where the tokens are kept: `memoryTokenStore()`, `fileTokenStore()` of `@concord/runtime/session/node`, or your own. */
  readonly store: TokenStore
  /** Refreshes on time even if no call asks for a token. Default: false. */
  readonly keepFresh?: boolean | undefined
}

/** The names of {@link OAuthSessionOptions}. */
export const OAUTH_SESSION: OptionNames<OAuthSessionOptions> = {
  ...OAUTH_CLIENT,
  store: true,
  keepFresh: true,
}

/**
 * Resumes the session in a store, without a request; `undefined` if the store is empty or the session is lost. Its access token is
 * refreshed with the refresh token grant (RFC 6749, section 6).
 *
 * @public
 */
export async function resumeOAuth(
  flow: OAuthFlow,
  options: OAuthSessionOptions,
): Promise<TokenSession | undefined> {
  checkOptionNames(options, OAUTH_SESSION, 'options')
  return TokenSession.resume(sessionOptions(flow, options))
}

/** Begins a session with the response to a form. */
export async function beginOAuth(
  flow: OAuthFlow,
  options: OAuthSessionOptions,
  form: Readonly<Record<string, string | undefined>>,
  repeat: 'harmless' | 'spent',
): Promise<TokenSession> {
  const askedAtMs = (options.clock ?? systemClock).now()
  const post = { option: 'tokenUrl', repeat }
  const response = await new OAuthEndpoints(options).post(flow.tokenUrl, form, post)
  return TokenSession.begin(sessionOptions(flow, options), readTokens(response), askedAtMs)
}

/** Options of {@link passwordSession}. @public */
export interface PasswordSessionOptions<Scope extends string = string> extends OAuthSessionOptions {
  readonly username: string
  readonly password: string
  readonly scopes?: readonly Scope[] | undefined
}

/**
 * Begins a session with a user's own password (RFC 6749, section 4.3), for a service that offers nothing else. RFC 9700, section
 * 2.4, advises against it.
 *
 * @throws ApiError if the server rejects the password.
 * @public
 */
export async function passwordSession<const Flow extends OAuthFlow>(
  flow: Flow,
  { username, password, scopes, ...options }: PasswordSessionOptions<ScopeOf<Flow>>,
): Promise<TokenSession> {
  checkOptionNames(options, OAUTH_SESSION, 'options')
  const form = { grant_type: 'password', username, password, scope: scopeField(scopes) }
  return beginOAuth(flow, options, form, 'harmless')
}

/** Options of {@link deviceSession}. @public */
export interface DeviceSessionOptions<Scope extends string = string>
  extends OAuthSessionOptions, Pick<DeviceFlowOptions, 'onPrompt' | 'onUpdate' | 'deadline'> {
  readonly scopes?: readonly Scope[] | undefined
}

/**
 * Begins a session that the user approves on another device: the device authorization grant (RFC 8628).
 *
 * @throws DeviceAuthorizationError if the user denies or the code expires, and the other errors of `authorizeDevice`.
 * @public
 */
export async function deviceSession<const Flow extends OAuthFlow>(
  flow: Flow,
  { scopes, onPrompt, onUpdate, deadline, ...options }: DeviceSessionOptions<ScopeOf<Flow>>,
): Promise<TokenSession> {
  checkOptionNames(options, OAUTH_SESSION, 'options')
  const endpoints = new OAuthEndpoints(options)
  const clock = options.clock ?? systemClock
  let issued: IssuedTokens | undefined
  let session: TokenSession | undefined
  let askedAtMs = clock.now()
  await authorizeDevice({
    requestCode: async (signal) => {
      const form = { client_id: options.clientId, scope: scopeField(scopes) }
      const post = { option: 'deviceAuthorizationUrl', repeat: 'safe', signal } as const
      return (await endpoints.post(flow.deviceAuthorizationUrl, form, post)) as unknown as DeviceCodeRecord
    },
    async pollToken(device_code, signal) {
      askedAtMs = clock.now()
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code,
        client_id: options.clientId,
      }
      try {
        const response = await endpoints.post(flow.tokenUrl, form, { option: 'tokenUrl', signal })
        // Some servers return their error codes with a success.
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
      session = await TokenSession.begin(sessionOptions(flow, options), issued!, askedAtMs)
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

function sessionOptions(flow: OAuthFlow, options: OAuthSessionOptions): TokenSessionOptions {
  const { store, keepFresh, clock, random, signal, observe } = options
  const endpoints = new OAuthEndpoints(options)
  const address = flow.refreshUrl ?? flow.tokenUrl
  return {
    store,
    // Its limit is unknown, not infinite.
    rate: 'limited',
    retry: endpoints.retryAt(address, 'tokenUrl'),
    async refresh(refreshToken) {
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
      const response = await endpoints.post(address, form, { option: 'tokenUrl' })
      // The server may keep the refresh token: RFC 6749, section 6.
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
