import type { OptionNames } from '../../core/option-checks.ts'
import type { CommonOptions } from '../../http/client-options.ts'
import type { SecretSource } from '../../http/credential.ts'

/** One OAuth 2.0 flow of a contract: its addresses and scopes. Generated code has one for each flow. @public */
export interface OAuthFlow {
  readonly authorizationUrl?: string
  readonly deviceAuthorizationUrl?: string
  readonly tokenUrl?: string
  /** Where tokens are refreshed. Default: `tokenUrl`. */
  readonly refreshUrl?: string
  /** The scopes, with what each allows. */
  readonly scopes?: Readonly<Record<string, string>>
}

/** The scopes of a flow; any string if it lists none. @public */
export type ScopeOf<Flow extends OAuthFlow> = Flow extends { readonly scopes: infer Scopes }
  ? keyof Scopes & string
  : string

/** The client that the authorization server knows, and how requests reach that server. @public */
export interface OAuthClient extends Pick<
  CommonOptions,
  'timeoutMs' | 'retry' | 'observe' | 'headers' | 'transport' | 'signal' | 'clock' | 'random'
> {
  readonly clientId: string
  /** Default: none, as for apps that can't keep a secret. */
  readonly clientSecret?: SecretSource | undefined
  /**
   * How the client proves who it is: HTTP Basic (`'basic'`, the default) or fields of the form (`'form'`). RFC 6749, section
   * 2.3.1. Without a secret, its id is a field of the form.
   */
  readonly clientAuthentication?: 'basic' | 'form' | undefined
}

/** The names of {@link OAuthClient}. */
export const OAUTH_CLIENT: OptionNames<OAuthClient> = {
  clientId: true,
  clientSecret: true,
  clientAuthentication: true,
  timeoutMs: true,
  retry: true,
  observe: true,
  headers: true,
  transport: true,
  signal: true,
  clock: true,
  random: true,
}
