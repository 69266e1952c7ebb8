import type { OperationDescriptor } from '../../core/descriptors.ts'
import { ApiError, ContractDriftError, OptionsError } from '../../core/errors.ts'
import { checkOptionNames, choiceOption, type OptionNames } from '../../core/option-checks.ts'
import { type CommonOptions, transportOption } from '../../http/client-options.ts'
import { type ClientRetry, clientRetry } from '../../http/client-retry.ts'
import { type Client, createClient } from '../../http/client.ts'
import { basicCredential, bearerCredential, type SecretSource } from '../../http/credential.ts'
import { callCaller, outcomeOfCaller } from '../../retry/caller-errors.ts'
import { isTransientStatus } from '../../retry/retry.ts'
import type { IssuedTokens } from '../token-store.ts'

/** An OAuth 2.0 flow of a contract: its URLs and scopes. Generated code exports an object for each flow. @public */
export interface OAuthFlow {
  readonly authorizationUrl?: string
  readonly deviceAuthorizationUrl?: string
  readonly tokenUrl?: string
  /** The URL for refreshing tokens. Default: `tokenUrl`. */
  readonly refreshUrl?: string
  /** The scopes, each with a description. */
  readonly scopes?: Readonly<Record<string, string>>
}

/** The scopes of a flow; any string if the flow lists none. @public */
export type ScopeOf<Flow extends OAuthFlow> = Flow extends { readonly scopes: infer Scopes }
  ? keyof Scopes & string
  : string

/** The registered client, and how it sends requests to the authorization server. @public */
export interface OAuthClient extends Pick<
  CommonOptions,
  'timeoutMs' | 'retry' | 'observe' | 'headers' | 'transport' | 'signal' | 'clock' | 'random'
> {
  readonly clientId: string
  /** Omit the secret if the app can't keep it confidential. */
  readonly clientSecret?: SecretSource | undefined
  /**
   * How the client sends its id and secret: with HTTP Basic (`'basic'`, the default) or as fields of the form in the
   * request body (`'form'`). See RFC 6749, section 2.3.1. A client without a secret sends its id as a form field.
   */
  readonly clientAuthentication?: 'basic' | 'form' | undefined
}

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

const SECRETS = [
  'access_token',
  'refresh_token',
  'id_token',
  'client_secret',
  'code',
  'code_verifier',
  'device_code',
  'password',
]

type Fields = Readonly<Record<string, string | undefined>>

const LOST = {
  safe: undefined,
  harmless: { again: 'harmless' },
  spent: { again: 'spent' },
} as const satisfies Record<string, OperationDescriptor['outcome']>

/** The name of token requests in errors and events. */
export const OAUTH_OPERATION = 'oauthToken'

/** The names of a flow's URLs, except `authorizationUrl`, which only the browser opens. */
type Endpoint = 'tokenUrl' | 'refreshUrl' | 'deviceAuthorizationUrl'

/** Sends forms to the endpoints of one authorization server, as a registered client. */
export class OAuthEndpoints {
  /** The name of the flow's URL for refresh requests. */
  readonly refresh: 'tokenUrl' | 'refreshUrl'
  readonly #options: OAuthClient
  /** One HTTP client for each origin, so that all requests to an origin share one retry budget (R-24). */
  readonly #clients = new Map<string, Client>()
  readonly #flow: OAuthFlow

  constructor(flow: OAuthFlow, options: OAuthClient) {
    const { clientAuthentication, clientSecret } = options
    choiceOption(clientAuthentication, 'clientAuthentication', { basic: true, form: true }, 'basic')
    transportOption(options.transport)
    if (clientSecret !== undefined && typeof clientSecret !== 'string')
      bearerCredential(clientSecret, 'clientSecret')
    this.refresh = flow.refreshUrl === undefined ? 'tokenUrl' : 'refreshUrl'
    this.#flow = flow
    this.#options = options
  }

  /** @throws OptionsError if the flow has no URL for this endpoint, or an option can't be used. */
  retryAt(endpoint: Endpoint): Pick<ClientRetry, 'budget' | 'onRetry'> {
    const { budget, onRetry } = clientRetry(this.#clientOf(flowUrl(this.#flow, endpoint)), OAUTH_OPERATION)
    return { budget, onRetry }
  }

  /**
   * @throws ApiError whose body contains the server's error code (RFC 6749, section 5.2); also any other error that
   * an API call can throw.
   */
  async post(
    endpoint: Endpoint,
    fields: Fields,
    { repeat = 'spent', signal }: PostOptions = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const url = flowUrl(this.#flow, endpoint)
    const { clientId, clientSecret, clientAuthentication = 'basic' } = this.#options
    const isBasic = clientSecret !== undefined && clientAuthentication === 'basic'
    const body: Record<string, string | undefined> = { ...fields }
    if (!isBasic) body['client_id'] = clientId
    if (!isBasic && clientSecret !== undefined)
      body['client_secret'] = await callCaller(() => readSecret(clientSecret), 'not-sent')
    const extra = { query: Object.fromEntries(url.searchParams) }
    const outcome = LOST[repeat]
    const operation: OperationDescriptor = {
      id: endpoint === 'deviceAuthorizationUrl' ? 'oauthDeviceAuthorization' : OAUTH_OPERATION,
      method: 'POST',
      path: url.pathname,
      server: 'endpoint',
      security: isBasic ? ['client'] : [],
      parameters: [],
      body: { kind: 'form', contentType: 'application/x-www-form-urlencoded', required: true },
      responses: { 200: { kind: 'json', contentType: 'application/json' } },
      retry: { class: repeat === 'safe' ? 'safe' : 'never' },
      ...(outcome && { outcome }),
      secrets: SECRETS,
    }
    const client = this.#clientOf(url)
    const response: unknown = await client.send(operation, { body }, { extra, ...(signal && { signal }) })
    if (typeof response === 'object' && response !== null)
      return response as Readonly<Record<string, unknown>>
    throw notAsExpected(operation.id, '', 'is not an object')
  }

  #clientOf({ origin }: URL): Client {
    const known = this.#clients.get(origin)
    if (known !== undefined) return known
    const { clientId, clientSecret, transport } = this.#options
    const { timeoutMs, retry, observe, headers, signal, clock, random } = this.#options
    const client = createClient({
      timeoutMs,
      retry,
      observe,
      headers,
      signal,
      clock,
      random,
      // Passed without `close`, because the caller's transport outlives this client.
      ...(transport && { transport: { send: (request) => transport.send(request) } }),
      servers: { endpoint: origin },
      // The credential is sent only for operations whose `security` contains its name, `client`.
      credentials: {
        client: basicCredential(
          {
            username: encodeForm(clientId),
            password: async () => encodeForm(await readSecret(clientSecret)),
          },
          'clientSecret',
        ),
      },
      explain: describeError,
    })
    this.#clients.set(origin, client)
    return client
  }
}

export interface PostOptions {
  /**
   * Whether the form can be sent again after a failure. `safe`: this client retries. `harmless`: the client doesn't
   * retry, but the caller can repeat the call without harm. `spent` (the default): the form can't be sent again,
   * because it contains an input that works only once, such as a code.
   */
  readonly repeat?: keyof typeof LOST
  /** Aborting this signal ends this request. The `signal` of {@link OAuthClient} ends all requests. */
  readonly signal?: AbortSignal | undefined
}

/** Reads an authorization server's token response: RFC 6749, section 5.1. @throws ContractDriftError */
export function readTokens(response: Readonly<Record<string, unknown>>, before?: string): IssuedTokens {
  const { access_token, token_type, expires_in, refresh_token = before } = response
  if (typeof access_token !== 'string' || access_token === '')
    throw notAsExpected(OAUTH_OPERATION, '/access_token', 'must be a non-empty string')
  // A client must not use a token of a type that it doesn't understand: RFC 6749, section 7.1.
  if (token_type !== undefined && (typeof token_type !== 'string' || !/^bearer$/i.test(token_type)))
    throw notAsExpected(OAUTH_OPERATION, '/token_type', 'is not `Bearer`')
  // Some servers send `expires_in` as a string.
  const expiresInS = typeof expires_in === 'string' ? Number(expires_in) : expires_in
  return {
    accessToken: access_token,
    ...(typeof refresh_token === 'string' && refresh_token !== '' ? { refreshToken: refresh_token } : {}),
    ...(typeof expiresInS === 'number' && Number.isFinite(expiresInS) && expiresInS > 0
      ? { expiresInMs: expiresInS * 1000 }
      : {}),
  }
}

/** These error codes ask a client to poll again later, whatever the HTTP status is (RFC 8628, section 3.5). */
const ASK_AGAIN: readonly unknown[] = ['authorization_pending', 'slow_down']

/**
 * Returns the error code that the authorization server sent (RFC 6749, section 5.2), or `undefined` if the error comes
 * from elsewhere, for example from an overloaded gateway or from the caller's `clientSecret` function.
 */
export function errorCodeOf(error: unknown): string | undefined {
  if (!ApiError.is(error) || outcomeOfCaller(error) !== undefined) return undefined
  const code = (error.body as { readonly error?: unknown } | undefined)?.error
  if (isTransientStatus(error.status, 'poll') && !ASK_AGAIN.includes(code)) return undefined
  return typeof code === 'string' ? code : undefined
}

export function flowUrl(flow: OAuthFlow, endpoint: Endpoint | 'authorizationUrl'): URL {
  const url = httpUrl(flow[endpoint])
  if (url !== undefined) return url
  throw new OptionsError(
    endpoint,
    `The flow has no \`${endpoint}\`, or the URL is not an absolute http or https URL.`,
    `Set \`${endpoint}\` in the flow that you pass, for example: { ...flow, ${endpoint}: 'https://...' }.`,
  )
}

function httpUrl(address: unknown): URL | undefined {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url : undefined
}

function describeError(body: unknown): string {
  const { error, error_description } = (body ?? {}) as Record<string, unknown>
  const parts = [error, error_description].filter((part) => typeof part === 'string')
  return parts.join(': ')
}

async function readSecret(source: SecretSource | undefined): Promise<string> {
  const secret = typeof source === 'object' ? source.get() : typeof source === 'function' ? source() : source
  return (await secret) ?? ''
}

/** Encodes a string as `application/x-www-form-urlencoded`, as RFC 6749, section 2.3.1, requires. */
function encodeForm(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length)
}

function notAsExpected(operation: string, path: string, reason: string): ContractDriftError {
  return new ContractDriftError(
    `The authorization server's response can't be used: ${path === '' ? 'it' : `\`${path}\``} ${reason}.`,
    [{ path, reason }],
    undefined,
    { operation },
  )
}

type DiscoveryOptions = Pick<
  CommonOptions,
  'timeoutMs' | 'retry' | 'observe' | 'transport' | 'signal' | 'clock'
>

const DISCOVERY: OptionNames<DiscoveryOptions> = {
  timeoutMs: true,
  retry: true,
  observe: true,
  transport: true,
  signal: true,
  clock: true,
}

const WELL_KNOWN = '/.well-known/openid-configuration'

/**
 * Looks up the URLs of an OpenID Connect provider (OpenID Connect Discovery 1.0, section 4), and returns them as a
 * flow. Pass this flow to the other OAuth functions, because they don't look up the URLs themselves.
 *
 * @param openIdConnectUrl The `openIdConnectUrl` of the contract.
 * @throws ContractDriftError if the response is not the configuration of this provider; also any other error that an
 * API call can throw.
 * @public
 */
export async function discoverOpenId(
  openIdConnectUrl: string,
  options: DiscoveryOptions = {},
): Promise<OAuthFlow> {
  checkOptionNames(options, DISCOVERY, 'options')
  transportOption(options.transport)
  const url = httpUrl(openIdConnectUrl)
  if (url === undefined)
    throw new OptionsError(
      'openIdConnectUrl',
      'is not an absolute http or https URL.',
      'Pass the complete URL from `openIdConnectUrl` in the contract.',
    )
  const { transport, ...shared } = options
  await using client = createClient({
    ...shared,
    ...(transport && { transport: { send: (request) => transport.send(request) } }),
    servers: { provider: url.origin },
  })
  const found: unknown = await client.send({ ...CONFIGURATION, path: url.pathname }, {})
  const configuration = (found ?? {}) as Readonly<Record<string, unknown>>
  // The issuer must match the URL (section 4.3). Without this check, the endpoints of another issuer could be used.
  const { issuer } = configuration
  const from = typeof issuer === 'string' && issuer.endsWith('/') ? issuer.slice(0, -1) : issuer
  if (typeof from !== 'string' || from + WELL_KNOWN !== openIdConnectUrl)
    throw unusable(
      'has no issuer that matches `openIdConnectUrl`',
      '/issuer',
      'does not match `openIdConnectUrl`',
    )
  const flow: Record<string, string> = {}
  for (const [name, field] of Object.entries(FIELDS)) {
    const address = configuration[field]
    if (typeof address !== 'string') continue
    // The client's secret and the tokens are sent to these URLs, so the URLs must use TLS (RFC 6749, section 3.2).
    if (url.protocol === 'https:' && URL.parse(address)?.protocol !== 'https:')
      throw unusable('contains a URL that does not use https', `/${field}`, 'is not an https URL')
    flow[name] = address
  }
  return flow
}

const FIELDS = {
  authorizationUrl: 'authorization_endpoint',
  deviceAuthorizationUrl: 'device_authorization_endpoint',
  tokenUrl: 'token_endpoint',
} as const

function unusable(what: string, path: string, reason: string): ContractDriftError {
  return new ContractDriftError(
    `The configuration of the OpenID Connect provider ${what}, so the configuration is not used.`,
    [{ path, reason }],
    undefined,
    { operation: CONFIGURATION.id },
  )
}

const CONFIGURATION: OperationDescriptor = {
  id: 'openIdConfiguration',
  method: 'GET',
  path: WELL_KNOWN,
  server: 'provider',
  security: [],
  parameters: [],
  responses: { 200: { kind: 'json', contentType: 'application/json' } },
  retry: { class: 'safe' },
  secrets: [],
}
