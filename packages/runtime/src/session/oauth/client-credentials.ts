import { type Clock, systemClock } from '../../core/clock.ts'
import { checkOptionNames, type OptionNames } from '../../core/option-checks.ts'
import type { SecretStore } from '../../http/credential.ts'
import { toStored } from '../refresh-run.ts'
import { isDue, isJustReplaced, isUsable, type StoredSession } from '../token-store.ts'
import {
  OAUTH_CLIENT,
  type OAuthClient,
  OAuthEndpoints,
  type OAuthFlow,
  readTokens,
  scopeField,
  type ScopeOf,
} from './token-endpoint.ts'
import { PAUSE_AFTER_FAILURE_MS } from '../token-session.ts'

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
