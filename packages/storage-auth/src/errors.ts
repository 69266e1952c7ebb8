import {
  type ApiError,
  AuthenticationError,
  AuthorizationError,
  type Clock,
  OptionsError,
} from '@concord/runtime'
import {
  type ConcordErrorOptions,
  type ErrorResponse,
  REDACTED,
  type RefineError,
  systemClock,
} from '@concord/runtime/internal'

import { lockout, loginMessages } from './gen/facts.gen.ts'
import { createToken, exchangeCode, refreshToken } from './gen/operations.gen.ts'

const LOCK_MS = /* @__PURE__ */ (() => lockout.minutes * 60_000)()

/** 401: the email address or the password is wrong. Five such failures lock the account for 15 minutes. @public */
export class WrongCredentialsError extends AuthenticationError {
  static override readonly errorName = 'storage-auth.WrongCredentialsError'
}

/** 401: the account has no password, because it was created through an external sign-in. Sign in with the browser. @public */
export class PasswordNotSetError extends AuthenticationError {
  static override readonly errorName = 'storage-auth.PasswordNotSetError'
}

/** 401: five logins failed, and the account is locked for 15 minutes. @public */
export class AccountLockedError extends AuthenticationError {
  static override readonly errorName = 'storage-auth.AccountLockedError'

  /**
   * The latest time at which the lock ends, in milliseconds since the Unix epoch: 15 minutes after this response (as
   * documented), or later if `Retry-After` is longer. A lock that started before this response can end earlier.
   */
  readonly lockedUntilMs: number

  constructor(
    message: string,
    response: ErrorResponse,
    lockedUntilMs: number,
    options: ConcordErrorOptions = {},
  ) {
    super(message, response, options)
    this.lockedUntilMs = lockedUntilMs
  }
}

/** 401: the exchange code is invalid, is older than 60 seconds, or was already used. @public */
export class CodeRejectedError extends AuthenticationError {
  static override readonly errorName = 'storage-auth.CodeRejectedError'
}

/**
 * The call needs the access token of a signed-in user, but there is no session with an access token. Nothing was sent.
 *
 * @public
 */
export class SignInRequiredError extends OptionsError {
  static override readonly errorName = 'storage-auth.SignInRequiredError'

  constructor(what: string, hasApiKey: boolean) {
    super(
      'session',
      hasApiKey
        ? `\`${what}\` needs a signed-in user; an API key is not enough. Nothing was sent.`
        : `\`${what}\` needs a session. Nothing was sent.`,
      'Sign in with signIn() or signInWithBrowser(), or resume a stored session with resume().',
    )
  }
}

/**
 * The API key was created, but `save` failed. The service won't show the key again; {@link takeKey} is the only way
 * to get the key.
 *
 * @public
 */
export class ApiKeyNotSavedError extends AuthorizationError {
  static override readonly errorName = 'storage-auth.ApiKeyNotSavedError'

  /** The id of the key. Use the id to revoke the key. */
  readonly keyId: string
  readonly #key: string

  constructor(key: string, keyId: string, options: ConcordErrorOptions) {
    super(
      'authorization-failed',
      `The API key ${keyId || '(id unknown)'} was created, but \`save\` failed, so the key is not stored. The service will not ` +
        'show it again. Call takeKey() on this error and store the key, or revoke it by its id and create another.',
      options,
    )
    this.keyId = keyId
    this.#key = key
  }

  /** Returns the key. Logs and properties of this error don't contain it. */
  takeKey(): string {
    return this.#key
  }
}

/**
 * Returns the string in an error body that is most likely its message. Redacts anything that could be a token. The
 * choice of the string is a guess, because the documentation shows neither the shape of error bodies nor most of
 * their wording. So the message is only shown to people.
 */
export function explain(body: unknown): string | undefined {
  for (const text of textsOf(body, 0)) {
    // An empty string or a proxy's HTML page isn't a message.
    if (/^\s*(?:<|$)/.test(text)) continue
    return text.replace(/[\w.~+/=-]{20,}/g, (word) =>
      word.length >= 32 || /\d/.test(word) ? REDACTED : word,
    )
  }
  return undefined
}

type RejectedError = new (...args: ConstructorParameters<typeof AuthenticationError>) => AuthenticationError

/**
 * Returns a function that turns a 401 from a token endpoint into a more specific error. If the documentation doesn't
 * describe the cause of the 401, the function returns `undefined`.
 */
export function refineErrors(clock: Clock = systemClock): RefineError {
  return (message, response, operation): ApiError | undefined => {
    if (response.status !== 401) return undefined
    // The service's explanation is copied from `message`, where secrets are already redacted. The response body could
    // repeat the call's secrets.
    const says = / The service says: .*/s.exec(message)?.[0] ?? ''
    const explained = (reason: string): string => `${operation}: the service returned 401: ${reason}${says}`
    const refined = (ErrorClass: RejectedError, reason: string): ApiError =>
      new ErrorClass(explained(reason), response, { operation })
    if (operation === exchangeCode.id)
      return refined(
        CodeRejectedError,
        'the code is not valid. A code works only once, and expires after 60 seconds. Start the sign-in again.',
      )
    const isLogin = operation === createToken.id
    if (isLogin && hasMessage(response, (text) => text === loginMessages.wrongCredentials))
      return refined(
        WrongCredentialsError,
        'the email address or the password is wrong. The sign-in is not retried automatically: five failures lock the ' +
          'account for 15 minutes.',
      )
    if (isLogin && hasMessage(response, (text) => text === loginMessages.noPassword))
      return refined(
        PasswordNotSetError,
        'the account has no password, because it was created through an external sign-in. Use signInWithBrowser().',
      )
    // Refreshes are included, because the service may deny them, too, while the account is locked. An
    // AccountLockedError doesn't end the session.
    const isRefresh = operation === refreshToken.id
    const isLocked = (text: string): boolean => text.startsWith(loginMessages.lockedBeginning)
    if ((isLogin || isRefresh) && hasMessage(response, isLocked)) {
      const lockedUntilMs = clock.now() + Math.max(LOCK_MS, response.retryAfterMs ?? 0)
      const reason = `the account is locked, because too many logins failed. Try again ${timeOf(lockedUntilMs)}: the lock will have ended by then.`
      return new AccountLockedError(explained(reason), response, lockedUntilMs, { operation })
    }
    return undefined
  }
}

function timeOf(ms: number): string {
  const date = new Date(ms)
  // `getTime()` returns NaN if the time is later than a `Date` can represent.
  return Number.isNaN(date.getTime())
    ? "after the time in the response's Retry-After header"
    : `after ${date.toISOString()}`
}

const MAX_DEPTH = 8

/**
 * Returns whether any string in a body fits. All strings are checked, because the documentation doesn't say where in
 * the body a message appears.
 */
export function hasMessage(response: { readonly body: unknown }, fits: (text: string) => boolean): boolean {
  for (const text of textsOf(response.body, 0)) if (fits(text.trim())) return true
  return false
}

/** Returns the strings in a body, starting with those in properties that usually contain messages. */
function* textsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  const { message, error, detail, title, ...others } = value as Readonly<Record<string, unknown>>
  for (const part of [message, error, detail, title, ...Object.values(others)])
    yield* textsOf(part, depth + 1)
}
