import { bounded, type Bounds, isPromise, type TimeLimit } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { OptionsError, TimeoutError } from '../core/errors.ts'
import { REDACTED } from '../core/redact.ts'
import { callCaller } from '../retry/caller-errors.ts'
import { type Attempt, CallerError } from './attempt.ts'
import { headerProblem, setHeader } from './headers.ts'
import { escape } from './path.ts'

/** The prefix of a Basic credential (RFC 7617), including the space. */
export const BASIC = 'Basic '

/** Returns the password in the value of a Basic credential. */
function decodeBasic(value: string): string {
  const bytes = Uint8Array.from(atob(value), (byte) => byte.charCodeAt(0))
  return new TextDecoder().decode(bytes).replace(/^[^:]*:/, '')
}

/** Returns the password that a Basic credential encodes, for redaction: a service could quote it in an error. */
export function partsOf(
  credential: { readonly prefix?: string } | undefined,
  value: string,
): readonly string[] {
  if (credential?.prefix !== BASIC) return []
  try {
    return [decodeBasic(value)]
  } catch {
    return [] // The caller passed a value that isn't base64.
  }
}

/**
 * The credential for a security scheme of the contract: where it is sent, and the source of its value.
 *
 * @public
 */
export interface Credential {
  /**
   * Where the credential is sent. A cookie is added to the other cookies of the request, except in browsers, which
   * send only their own cookies.
   */
  readonly in: 'header' | 'query' | 'cookie'
  /** The name of the header, the query parameter or the cookie. */
  readonly name: string
  /** Added before the value, such as `'Bearer '` or `'Token '`. Default: nothing. */
  readonly prefix?: string
  /** The secret itself, or a function that returns it. The function is called for every request. */
  readonly value: string | (() => string | Promise<string>)
  /**
   * Called when the service rejects this value with a 401. Return `true` if a fresh value is available. The value is
   * then read again, and the call is sent once more. Without `rejected`, a 401 is final.
   */
  readonly rejected?: (value: string) => boolean | Promise<boolean>
}

export const PLACES = { header: 'header', query: 'query parameter', cookie: 'cookie' } as const

/**
 * Returns why a value can't be sent as this header, query parameter or cookie; `undefined` if it can. Never quotes
 * the value.
 */
export function placeProblem(
  { in: place, name }: Pick<Credential, 'in' | 'name'>,
  value: unknown,
): string | undefined {
  if (place === 'header') return headerProblem(name, value)
  // RFC 6265, section 4.1.1 defines which characters a cookie's name and value can have.
  if (place === 'cookie' && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'is not a valid cookie name'
  if (name === '') return 'is empty'
  if (typeof value !== 'string') return 'must be a string'
  if (place === 'cookie')
    return /^[!#-+\--:<-[\]-~]*$/.test(value)
      ? undefined
      : 'contains a character that is not allowed in a cookie'
  return escape(value) === undefined ? 'contains half of a surrogate pair' : undefined
}

/** A store that holds a secret. The secret is read for every request. @public */
export interface SecretStore {
  get(): string | null | undefined | Promise<string | null | undefined>
  /**
   * Called when the service rejects this secret with a 401. Return `true` if {@link SecretStore.get} now returns
   * another secret. The call is then sent once more. Without `rejected`, a 401 is final.
   */
  rejected?(secret: string): boolean | Promise<boolean>
}

/**
 * The source of a secret: the secret itself, a function that returns it, or a store. Functions and stores are called
 * for every request, so that a changed secret takes effect with the next request.
 *
 * @public
 */
export type SecretSource = string | (() => string | Promise<string>) | SecretStore

/** How a secret is sent. @public */
export interface SecretPlace {
  /** Default: `header`. */
  readonly in?: Credential['in']
  /** The name of the header, the query parameter or the cookie. */
  readonly name: string
  /** Added before the secret, such as `'Bearer '` or `'Token '`. Default: nothing. */
  readonly prefix?: string
}

/**
 * Creates a credential that sends an API key in the given header.
 *
 * @param option The name of the client option that holds the key, for error messages.
 * @throws OptionsError if the key is missing or can't be sent.
 * @public
 */
export function apiKeyCredential(
  source: SecretSource | undefined,
  header: string,
  option = 'apiKey',
): Credential {
  return secretCredential(source, { name: header }, option)
}

/**
 * Creates a credential that sends a secret as `Authorization: Bearer ...` (RFC 6750). See {@link apiKeyCredential}.
 *
 * @public
 */
export function bearerCredential(source: SecretSource | undefined, option = 'apiSecret'): Credential {
  return secretCredential(source, { name: 'authorization', prefix: 'Bearer ' }, option)
}

/** Creates a credential that sends a key as `Authorization: Token ...`. See {@link apiKeyCredential}. @public */
export function tokenCredential(source: SecretSource | undefined, option = 'apiKey'): Credential {
  return secretCredential(source, { name: 'authorization', prefix: 'Token ' }, option)
}

/** A user name and a password. @public */
export interface BasicSecret {
  /** Must not contain a colon (RFC 7617, section 2). */
  readonly username: string
  /** May be empty. */
  readonly password: SecretSource
}

/**
 * Creates a credential that sends a user name and a password, in UTF-8, as `Authorization: Basic ...` (RFC 7617). See
 * {@link apiKeyCredential}.
 *
 * @throws OptionsError if the user name has a colon, or if the user name or the password has a control character.
 * @public
 */
export function basicCredential(source: BasicSecret | undefined, option = 'basic'): Credential {
  const { username, password } = source ?? {}
  const encode = (secret: unknown): string => encodeBasic(username, secret, option)
  const encoded = mapSource(password, encode, decodeBasic)
  return new SecretCredential(encoded, { name: 'authorization', prefix: BASIC }, option)
}

/** Returns a source that encodes every secret. */
function mapSource(
  source: SecretSource | undefined,
  encode: (secret: unknown) => string,
  decode: (value: string) => string,
): SecretSource {
  const store = storeOf(source)
  if (store === undefined) return encode(source)
  return {
    get: () => readFrom(store, encode),
    ...(store.rejected && { rejected: (value: string) => store.rejected!(decode(value)) }),
  }
}

function encodeBasic(username: unknown, password: unknown, option: string): string {
  for (const [name, value] of Object.entries({ username, password })) {
    const problem = basicProblem(name, value)
    if (problem === undefined) continue
    throw new OptionsError(
      `${option}.${name}`,
      `${problem}, so it cannot be sent (RFC 7617).`,
      'Pass { username, password } exactly as the service issued them.',
    )
  }
  const bytes = new TextEncoder().encode(`${username as string}:${password as string}`)
  return btoa(String.fromCharCode(...bytes))
}

function basicProblem(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'is missing or is not a string'
  if (/\p{Cc}/u.test(value)) return 'contains a control character, such as a line end'
  return name === 'username' && value.includes(':') ? 'contains a colon' : undefined
}

export function secretCredential(
  source: SecretSource | undefined,
  place: SecretPlace,
  option: string,
): Credential {
  return new SecretCredential(source, place, option)
}

/** A credential that hides its secret from `JSON.stringify` and from Node's `util.inspect`. */
class SecretCredential implements Credential {
  readonly in: Credential['in']
  readonly name: string
  declare readonly prefix?: string
  declare readonly rejected?: (value: string) => boolean | Promise<boolean>
  readonly #value: string | (() => string | Promise<string>)

  constructor(source: SecretSource | undefined, place: SecretPlace, option: string) {
    this.in = place.in ?? 'header'
    this.name = place.name
    if (place.prefix !== undefined) this.prefix = place.prefix
    const store = storeOf(source)
    if (store === undefined) {
      this.#value = checkSecret(source, this, option)
      return
    }
    if (store.rejected !== undefined)
      Object.defineProperty(this, 'rejected', { value: (value: string) => store.rejected!(value) })
    this.#value = () => readFrom(store, (value) => checkSecret(asString(value, option), this, option))
  }

  get value(): string | (() => string | Promise<string>) {
    return this.#value
  }

  toJSON(): Record<string, unknown> {
    return { in: this.in, name: this.name, prefix: this.prefix, value: REDACTED }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Credential ${JSON.stringify(this)}`
  }
}

function storeOf(source: SecretSource | undefined): SecretStore | undefined {
  if (typeof source === 'function') return { get: source }
  const { get } = (source ?? {}) as Partial<SecretStore>
  return typeof get === 'function' ? (source as SecretStore) : undefined
}

/** `get` is called as a method of its store, because it may depend on `this`. */
function readFrom(store: SecretStore, convert: (secret: unknown) => string): string | Promise<string> {
  const secret: unknown = store.get()
  return isPromise(secret) ? secret.then(convert) : convert(secret)
}

function asString(value: unknown, option: string): string {
  if (typeof value === 'string') return value
  throw new OptionsError(
    option,
    'did not return a string.',
    "Return the secret as a string from your function or from your store's get().",
  )
}

/** The error messages never quote any part of the secret. */
function checkSecret(value: unknown, place: Omit<Credential, 'value'>, option: string): string {
  const [problem, remedy] = secretProblem(value, place) ?? []
  if (problem === undefined) return value as string
  throw new OptionsError(option, problem, remedy!)
}

const HOW_TO_PASS = 'Pass the secret as a string, a function, or a store with get().'
const AS_ISSUED = 'Pass the secret exactly as the service issued it.'

function secretProblem(
  value: unknown,
  place: Omit<Credential, 'value'>,
): readonly [problem: string, remedy: string] | undefined {
  const { in: where, name, prefix = '' } = place
  const ofName = placeProblem(place, 'x')
  if (ofName !== undefined)
    return [`cannot be sent: the name '${name}' ${ofName}.`, `Pass the name of another ${PLACES[where]}.`]
  if (value === undefined || value === null) return ['is missing.', HOW_TO_PASS]
  if (typeof value !== 'string') return ['must be a string.', HOW_TO_PASS]
  if (value === '') return ['is empty.', AS_ISSUED]
  if (/[\r\n]/.test(value))
    return ['contains a line end.', 'Remove the line end. A secret read from a file often ends in one.']
  if (value.trim() !== value) return ['begins or ends with white space.', 'Remove the white space.']
  if (prefix !== '' && value.toLowerCase().startsWith(prefix.toLowerCase()))
    return [`begins with '${prefix.trim()}', which is added automatically.`, AS_ISSUED]
  return placeProblem(place, prefix + value) === undefined
    ? undefined
    : [`contains a character that is not allowed in the ${PLACES[where]} \`${name}\`.`, AS_ISSUED]
}

/** The values that credential functions returned most recently. */
export const latest = new WeakMap<Credential, string>()

export function checkCredentialValue(credential: Credential, value: unknown, option: string): string {
  const whole = typeof value === 'string' ? (credential.prefix ?? '') + value : value
  const problem = value === '' || value === undefined ? 'is empty' : placeProblem(credential, whole)
  if (problem === undefined) {
    if (typeof credential.value === 'function') latest.set(credential, value as string)
    return value as string
  }
  throw new OptionsError(
    option,
    `has a value that cannot be sent in the ${PLACES[credential.in]} \`${credential.name}\`: the value ${problem}.`,
    'Pass the secret as a string, exactly as the service issued it, without line ends or quotes.',
  )
}

/** Throws a {@link CallerError} if a function of the caller throws. */
export function readCredentials(
  credentials: readonly Credential[],
  attempt: Attempt,
): readonly string[] | Promise<readonly string[]> {
  const readings = credentials.map((credential) => readCredential(credential, attempt))
  return readings.some(isPromise) ? Promise.all(readings) : (readings as string[])
}

function readCredential(credential: Credential, attempt: Attempt): string | Promise<string> {
  const { value } = credential
  if (typeof value === 'string') return value
  let reading: string | Promise<string>
  try {
    reading = value()
  } catch (error) {
    throw new CallerError(error)
  }
  if (typeof reading !== 'object' || reading === null)
    return checkCredentialValue(credential, reading, 'credentials')
  const own = reading.catch((error: unknown) => {
    throw new CallerError(error)
  })
  return bounded(own, { signals: [attempt.signal] }).then((secret) =>
    checkCredentialValue(credential, secret, 'credentials'),
  )
}

export interface Addressed {
  /** Includes the query, if any. */
  readonly path: string
  readonly headers: readonly string[]
}

export function withCredentials(
  { path, headers }: Addressed,
  credentials: readonly Credential[],
  values: readonly string[],
): Addressed {
  const own = [...headers]
  let whole = path
  for (const [index, { in: place, name, prefix = '' }] of credentials.entries()) {
    const value = prefix + values[index]
    if (place === 'header') setHeader(own, name, value)
    else if (place === 'cookie') addCookie(own, `${name}=${value}`)
    else whole += `${whole.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  }
  return { path: whole, headers: own }
}

/** Appends a cookie to the `cookie` header (RFC 6265, section 4.2.1). */
function addCookie(headers: string[], pair: string): void {
  const before = headers.find((_, index) => index % 2 === 1 && headers[index - 1] === 'cookie')
  setHeader(headers, 'cookie', before === undefined ? pair : `${before}; ${pair}`)
}

/** Asks the sources for fresh secrets after a 401. Returns true if at least one source has a fresh secret. */
export async function renewCredentials(
  credentials: readonly Credential[],
  secrets: readonly string[],
  bounds: Bounds = {},
): Promise<boolean> {
  const renewed = await bounded(
    async () =>
      Promise.all(
        credentials.map((credential, index) =>
          callCaller(() => credential.rejected?.(secrets[index] ?? '') ?? false, 'denied'),
        ),
      ),
    bounds,
  )
  return renewed.includes(true)
}

/** Limits how long a request waits for its credential to be refreshed. */
export function credentialLimit(clock: Clock, operation: string, ms: number): TimeLimit {
  return {
    clock,
    ms,
    error: (elapsedMs) =>
      new TimeoutError(
        `${operation}: the credential was not refreshed within ${ms} ms (\`timeoutMs\`). The refresh continues, so try again later.`,
        { limitMs: ms, elapsedMs, sent: 'no' },
        { operation },
      ),
  }
}
