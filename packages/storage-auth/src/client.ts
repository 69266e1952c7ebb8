import {
  type CallOptions,
  type Client,
  type ClientOptions,
  ConnectionError,
  createClient,
  type Credential,
  DeadlineError,
  type Duration,
  OptionsError,
} from '@concord/runtime'
import { bounded, type Bounds, load, parseDuration, requiredString } from '@concord/runtime/internal'
import {
  memoryTokenStore,
  TokenSession,
  type TokenSessionOptions,
  type TokenStore,
} from '@concord/runtime/session'
import type { TokenResponse } from '@concord/storage-auth-validators'

import { type Environment, readEnv } from './environment.ts'
import { AccountLockedError, SignInRequiredError } from './errors.ts'
import {
  storageAuthApi,
  storageAuthApiWithResponse,
  type StorageAuthApi,
  type StorageAuthApiWithResponse,
} from './gen/api.gen.ts'
import { createToken, exchangeCode } from './gen/operations.gen.ts'
import { type StorageAuthOptions, toClientOptions } from './options.ts'
import { Session } from './session.ts'
import type { BrowserSignInOptions } from './sign-in-with-browser.ts'
import { REPORT_DRIFT_ONLY, toIssuedTokens, TokenEndpoints } from './token-endpoints.ts'

/** @see `specs/storage-auth/openapi.yaml#/components/schemas/TokenResponse` */
const REFRESH_LIFETIME_MS = 30 * 24 * 3_600_000

/** The credentials of a user. @public */
export interface Login {
  readonly email: string
  readonly password: string
}

/**
 * The client of the storage authentication service: signs users in, keeps their sessions fresh, and manages API keys.
 *
 * ```ts
 * import { StorageAuth } from '@concord/storage-auth'
 *
 * const storage = new StorageAuth({ authUrl: 'https://auth.storage.example', dataUrl: 'https://data.storage.example' })
 * const session = (await storage.resume()) ?? (await storage.signIn({ email: 'kim@mail.example', password: '...' }))
 * const projects = await session.fetch('/v1/projects')
 * ```
 *
 * The constructor opens no connections, and reads neither the store nor the environment. Secrets never appear in
 * logs, errors, events or `inspect` output.
 *
 * @public
 */
export class StorageAuth implements AsyncDisposable {
  /**
   * All operations, exactly as on the wire. The token operations wait until the rate limit allows a request. The
   * client doesn't store the tokens that they return.
   */
  readonly api: StorageAuthApi
  /** The same operations, but each method also returns the status, the headers, the request id and the body as received. */
  readonly withResponse: StorageAuthApiWithResponse
  readonly #options: StorageAuthOptions
  readonly #clientOptions: ClientOptions
  readonly #client: Client
  readonly #store: TokenStore
  readonly #endpoints: TokenEndpoints
  readonly #closing = new AbortController()
  readonly #ended: AbortSignal
  readonly #sessions = new Set<Session>()
  /** The most recently opened session with tokens. */
  #current: Session | undefined

  /** @throws OptionsError if an option is missing, unknown or invalid. */
  constructor(options: StorageAuthOptions) {
    this.#clientOptions = toClientOptions(options)
    this.#options = options
    this.#store = options.store ?? memoryTokenStore()
    this.#ended =
      options.signal === undefined
        ? this.#closing.signal
        : AbortSignal.any([options.signal, this.#closing.signal])
    this.#client = createClient({
      ...this.#clientOptions,
      credentials: { accessToken: this.#currentCredential() },
    })
    this.#endpoints = new TokenEndpoints(this.#client, this.#store, options, this.#ended)
    this.api = storageAuthApi((operation, input, call) => this.send(operation, input, call))
    this.withResponse = storageAuthApiWithResponse((operation, input, call) =>
      this.exchange(operation, input, call),
    )
  }

  /**
   * Creates a client from environment variables: the base URLs in `STORAGE_AUTH_URL`, `STORAGE_DATA_URL` and
   * `STORAGE_WEB_URL`, and the credentials in `STORAGE_ACCESS_TOKEN`, `STORAGE_REFRESH_TOKEN` and `STORAGE_API_KEY`.
   * The refresh token is used only with `store: envStore({ save })`. Only this method and `envStore()` read the
   * environment.
   *
   * @example
   * ```ts
   * const storage = StorageAuth.fromEnv()
   * ```
   * @param options - Options of the client. They override the environment.
   * @param env - The variables to read. Default: `process.env`. An `envStore` in the options has its own `env`.
   * @throws OptionsError if a base URL is missing.
   */
  static fromEnv(options: Partial<StorageAuthOptions> = {}, env?: Environment): StorageAuth {
    return new StorageAuth({ ...readEnv(env, options), ...options })
  }

  /** Sends the operation that a descriptor describes, and returns the body of the success response. */
  readonly send: Client['send'] = async (operation, input, call) =>
    (await this.exchange(operation, input, call)).data

  /** Sends the operation that a descriptor describes, and returns the whole response. */
  readonly exchange: Client['exchange'] = (operation, input, call) =>
    operation.server === createToken.server
      ? this.#endpoints.exchange(operation, input, call)
      : this.#client.exchange(operation, input, call)

  /**
   * Signs in with an email address and a password, and stores the session, replacing any stored session.
   *
   * A rejected login is never repeated: five failures lock the account for 15 minutes.
   *
   * @example
   * ```ts
   * const session = await storage.signIn({ email: 'kim@mail.example', password })
   * ```
   * @param login - The email address and the password.
   * @param options - Options of the call.
   * @throws WrongCredentialsError, PasswordNotSetError, AccountLockedError; RateLimitedError if five attempts, over about
   * a minute, all get a 429; DeadlineError if the rate limit allows no request before the deadline.
   * @see `specs/storage-auth/openapi.yaml#/paths/~1auth~1token/post`
   */
  async signIn(login: Login, options: CallOptions = {}): Promise<Session> {
    const { email, password } = (login ?? {}) as Partial<Login>
    requiredString(email, 'email', 'Pass the email address of the account.')
    if (typeof password !== 'string' || password === '') {
      throw new OptionsError('password', 'is missing or empty.', 'Pass the password of the account.')
    }
    const call = {
      ...options,
      ...(await this.#checkStore(options.signal, options.deadline)),
      ...REPORT_DRIFT_ONLY,
    }
    const askedAtMs = this.#client.clock.now()
    const body = { email: email as string, password }
    const { data } = await this.#endpoints.exchange(createToken, { body }, call)
    return this.#begin(data, createToken.id, askedAtMs)
  }

  /**
   * Signs in with the user's browser: opens the sign-in page, waits on this machine for the code that the page sends,
   * and exchanges the code for tokens. Stores the session, replacing any stored session. Node only.
   *
   * @example
   * ```ts
   * const session = await storage.signInWithBrowser({ onAddress: (url) => console.log(`Open ${url}`) })
   * ```
   * @param options - How to open the sign-in page, and how long to wait.
   * @throws AuthorizationError with the code `authorization-expired` if the user doesn't complete the sign-in in time.
   */
  async signInWithBrowser(options: BrowserSignInOptions = {}): Promise<Session> {
    const [{ browserHost }, { checkBrowserSignIn, signInWithBrowser }] = await Promise.all([
      load(import('#browser')),
      load(import('./sign-in-with-browser.ts')),
    ])
    checkBrowserSignIn(options)
    await this.#checkStore(options.signal)
    let askedAtMs = 0
    return signInWithBrowser<Session>({
      host: browserHost,
      webUrl: this.#options.webUrl,
      options,
      ended: this.#ended,
      clock: this.#client.clock,
      random: this.#client.random,
      exchange: async (code, call) => {
        askedAtMs = this.#client.clock.now()
        return this.#exchangeCode(code, call)
      },
      begin: (tokens) => this.#begin(tokens, exchangeCode.id, askedAtMs),
    })
  }

  /**
   * Exchanges a code that your own program received from a browser sign-in, and stores the session. A code works only
   * once, and only for 60 seconds.
   *
   * @example
   * ```ts
   * const session = await storage.exchangeCode(code)
   * ```
   * @param code - The code that the sign-in page passed to your callback URL.
   * @param options - Options of the call.
   * @throws CodeRejectedError if the code is invalid, expired or already used.
   */
  async exchangeCode(code: string, options: CallOptions = {}): Promise<Session> {
    requiredString(code, 'code', 'Pass the code from the browser callback.')
    const left = await this.#checkStore(options.signal, options.deadline)
    const askedAtMs = this.#client.clock.now()
    return this.#begin(await this.#exchangeCode(code, { ...options, ...left }), exchangeCode.id, askedAtMs)
  }

  /**
   * Resumes the stored session. If that isn't possible, returns a session with the API key. Sends no request. The
   * stored session comes first, because the service, too, prefers an access token to an API key.
   *
   * A session is lost if its refresh token was rejected, is older than the documented 30 days, or was sent twice
   * without a response. A session that is known to be lost is not resumed. A resumed session may turn out to be lost
   * at its next refresh, which then throws SessionLostError.
   *
   * A session from environment variables is an exception, because the client can't change the variables. A new
   * process resumes the session even if it is lost. If the session has no refresh token, the same process does, too.
   *
   * @example
   * ```ts
   * const session = (await storage.resume()) ?? (await storage.signIn(login))
   * ```
   * @returns `undefined` if there is neither a session nor an API key.
   */
  async resume(): Promise<Session | undefined> {
    this.#ended.throwIfAborted()
    const tokens = await TokenSession.resume(this.#sessionOptions())
    if (tokens !== undefined) return this.#open(tokens)
    return this.#options.apiKey === undefined ? undefined : this.withApiKey()
  }

  /**
   * Returns a session that uses only the API key, even if the store contains a session. The returned session
   * can't manage keys.
   *
   * @example
   * ```ts
   * const projects = await storage.withApiKey().fetch('/v1/projects')
   * ```
   * @throws OptionsError if the client has no API key.
   */
  withApiKey(): Session {
    this.#ended.throwIfAborted()
    const { apiKey } = this.#options
    if (apiKey === undefined)
      throw new OptionsError(
        'apiKey',
        'is missing.',
        'Pass the API key to StorageAuth, or set STORAGE_API_KEY before you call fromEnv().',
      )
    return this.#keep({ apiKey })
  }

  /** Removes the stored session. No request is sent, because no sign-out is documented. */
  async forget(): Promise<void> {
    await Promise.all(
      [...this.#sessions].filter(({ kind }) => kind === 'tokens').map((session) => session.forget()),
    )
    await this.#store.exclusive((held) => held.remove())
  }

  /**
   * Closes the connections and sessions of this client, and ends everything that is waiting, such as a sign-in. If a
   * refresh has already been sent, `close` waits for its response. The session in the store remains.
   */
  async close(): Promise<void> {
    this.#closing.abort(
      new ConnectionError('This client is closed. Create another one for further calls.', {
        phase: 'connect',
        sent: 'no',
      }),
    )
    await Promise.all([...this.#sessions].map((session) => session.close()))
    await this.#client.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  toJSON(): Record<string, unknown> {
    return { client: 'storage-auth', sessions: this.#sessions.size }
  }

  /**
   * Checks that the store works, before the client requests tokens. To check this, takes the store's lock and reads
   * the store. Taking the lock fails in a read-only folder. Returns the remaining time if there is a deadline.
   */
  async #checkStore(
    signal: AbortSignal | undefined,
    deadline: Duration | undefined = this.#options.deadline,
  ): Promise<Pick<CallOptions, 'deadline'>> {
    const { clock } = this.#client
    const limitMs = deadline === undefined ? Infinity : parseDuration(deadline)
    const beganMs = clock.monotonic()
    const bounds: Bounds = {
      signals: [this.#ended, signal],
      limit: { clock, ms: limitMs, error: (elapsedMs) => storeIsHeld(limitMs, elapsedMs) },
    }
    await bounded((ended) => this.#store.exclusive((held) => held.read(), ended), bounds)
    if (limitMs === Infinity) return {}
    return { deadline: Math.max(1, limitMs - (clock.monotonic() - beganMs)) }
  }

  async #exchangeCode(code: string, options: CallOptions): Promise<TokenResponse> {
    const call = { ...options, ...REPORT_DRIFT_ONLY }
    // `true` allows retries after a 429. The documentation doesn't say whether the code is still valid after a 429.
    // But the documented backoff makes sense only if the code is still valid.
    return (await this.#endpoints.exchange(exchangeCode, { body: { code } }, call, true)).data
  }

  async #begin(response: TokenResponse, operation: string, askedAtMs: number): Promise<Session> {
    const issued = toIssuedTokens(response, operation)
    return this.#open(await TokenSession.begin(this.#sessionOptions(), issued, askedAtMs))
  }

  #open(tokens: TokenSession): Session {
    this.#current = this.#keep({ tokens })
    return this.#current
  }

  #keep(credential: ConstructorParameters<typeof Session>[0]): Session {
    const session = new Session(credential, this.#clientOptions, (closed) => {
      this.#sessions.delete(closed)
      if (this.#current === closed) this.#current = undefined
    })
    this.#sessions.add(session)
    return session
  }

  #sessionOptions(): TokenSessionOptions {
    const { keepFresh = false } = this.#options
    return {
      store: this.#store,
      refresh: (token) => this.#endpoints.refresh(token),
      // The documentation doesn't say whether the service denies a refresh while the account is locked, or whether a
      // denied refresh uses up the token. The client assumes that the token is still valid.
      outcomeOf: (error) => (AccountLockedError.is(error) ? 'not-presented' : undefined),
      signal: this.#ended,
      ...(this.#endpoints.limiter === undefined ? {} : { limiter: this.#endpoints.limiter }),
      keepFresh,
      emit: (event) => this.#client.emit(event),
      refreshLifetimeMs: REFRESH_LIFETIME_MS,
      retry: this.#endpoints.refreshRetry,
      remedy: 'Sign in again with signIn or signInWithBrowser.',
      clock: this.#client.clock,
      random: this.#client.random,
    }
  }

  /** Returns the credential for `api`. */
  #currentCredential(): Credential {
    const hasKey = this.#options.apiKey !== undefined
    return {
      in: 'header',
      name: 'authorization',
      prefix: 'Bearer ',
      value: () => {
        if (this.#current === undefined) throw new SignInRequiredError('api', hasKey)
        return this.#current.accessToken()
      },
      rejected: (token) => this.#current?.tokens.rejected(token) ?? false,
    }
  }
}

function storeIsHeld(limitMs: number, elapsedMs: number): DeadlineError {
  return new DeadlineError(
    'The store was in use until the deadline, most likely because a session that shares the store was being refreshed. Nothing was sent. Try again.',
    { limitMs, elapsedMs },
  )
}
