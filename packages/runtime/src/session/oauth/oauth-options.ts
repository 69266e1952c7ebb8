import { OptionsError } from '../../core/errors.ts'
import {
  checkOptionNames,
  methodsOption,
  type OptionNames,
  requiredString,
} from '../../core/option-checks.ts'
import type { TokenStore } from '../token-store.ts'
import { OAUTH_CLIENT, type OAuthClient, OAuthEndpoints, type OAuthFlow } from './token-endpoint.ts'

/** Options of a session of a user: the client, and where the session is kept. @public */
export interface OAuthSessionOptions extends OAuthClient {
  /** Where the tokens are kept: `memoryTokenStore()`, `fileTokenStore()` of `@concord/runtime/session/node`, or your own. */
  readonly store: TokenStore
  /** Refreshes on time even if no call asks for a token. Default: false. */
  readonly keepFresh?: boolean | undefined
}

const SESSION: OptionNames<Omit<OAuthSessionOptions, keyof OAuthClient>> = { store: true, keepFresh: true }

/** The names that options of a session have in addition to {@link OAuthSessionOptions}. */
export type AddedNames<Options extends OAuthSessionOptions> = OptionNames<
  Omit<Options, keyof OAuthSessionOptions>
>

/**
 * Checks what every function for OAuth gets. {@link OAuthEndpoints} checks the options of requests.
 *
 * @param names - All options of the function.
 * @throws OptionsError
 */
export function checkOAuth(
  flow: OAuthFlow,
  options: Pick<OAuthClient, 'clientId'>,
  names: OptionNames<Pick<OAuthClient, 'clientId'>>,
): void {
  if (typeof flow !== 'object' || flow === null)
    throw new OptionsError(
      'flow',
      flow === undefined ? '`flow` is missing.' : '`flow` must be an object.',
      "Pass a flow of the contract, such as { tokenUrl: 'https://...' }.",
    )
  checkOptionNames(options, names, 'options')
  requiredString(options.clientId, 'clientId', 'Pass the id that the service issued.')
}

/** Checks the options of a session, before anything is sent. @throws OptionsError */
export function checkOAuthSession(
  flow: OAuthFlow,
  options: OAuthSessionOptions,
  added: AddedNames<OAuthSessionOptions> = {},
): void {
  // Merged here, because bundlers keep an unused constant that contains a spread.
  checkOAuth(flow, options, { ...OAUTH_CLIENT, ...SESSION, ...added })
  const { store, keepFresh } = options
  const remedy = 'Pass memoryTokenStore(), fileTokenStore(path), or an object that implements TokenStore.'
  if (store === undefined) throw new OptionsError('store', '`store` is missing.', remedy)
  methodsOption(store, 'store', ['read', 'exclusive'], remedy)
  if (keepFresh !== undefined && typeof keepFresh !== 'boolean')
    throw new OptionsError('keepFresh', '`keepFresh` must be true or false.', 'Pass one of them, or omit it.')
  new OAuthEndpoints(flow, options).retryAt(flow.refreshUrl === undefined ? 'tokenUrl' : 'refreshUrl')
}

/** Returns scopes as a field of a form; undefined for none. @throws OptionsError */
export function scopeField(scopes: readonly string[] | undefined): string | undefined {
  if (scopes === undefined) return undefined
  if (Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'))
    return scopes.join(' ') || undefined
  throw new OptionsError(
    'scopes',
    '`scopes` must be an array of strings.',
    "Pass one, such as ['read'], or omit it.",
  )
}

/** Returns the fields that a caller adds, or an empty object. @throws OptionsError */
export function fieldsOption(value: unknown, option: string): Readonly<Record<string, string>> {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const wrong = Object.entries(value).find(([, field]) => typeof field !== 'string')
    if (wrong === undefined) return value as Record<string, string>
    throw new OptionsError(
      `${option}.${wrong[0]}`,
      `\`${option}.${wrong[0]}\` must be a string.`,
      'Pass a string, or omit it.',
    )
  }
  throw new OptionsError(
    option,
    `\`${option}\` must be an object.`,
    "Pass an object of strings, such as { audience: 'x' }, or omit it.",
  )
}
