import { type Clock, type RandomSource, TimeLimits } from '../core/clock.ts'
import { OptionsError } from '../core/errors.ts'
import type { DriftReport, Observe } from '../core/events.ts'
import { load } from '../core/async.ts'
import {
  checkOptionNames,
  clockOption,
  type Duration,
  functionOption,
  methodsOption,
  numberOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import type { RateLimit } from '../limit/limits.ts'
import type { SocketFactory } from '../socket/socket.ts'
import { type ValidationMode, validationOption } from './call-options.ts'
import {
  type BaseUrl,
  type ClientCore,
  type Explain,
  parseBaseUrl,
  type RefineError,
  RetryBudget,
} from './client-state.ts'
import { checkCredentialValue, type Credential, placeProblem, PLACES } from './credential.ts'
import { headerProblem } from './headers.ts'
import type { Transport } from './transport.ts'

/** Options that every client has, whatever its service. All are optional. @public */
export interface CommonOptions {
  /**
   * The time limit of one attempt, in milliseconds, from connecting to the end of the response body. While a file or
   * a stream is being uploaded, `timeoutMs` instead limits each pause in the upload. After the upload, it limits the
   * wait for the response. Default: 60,000.
   */
  readonly timeoutMs?: number | undefined
  /**
   * The time limit for all attempts of a call together, such as `'2m'`. It includes the waits between attempts.
   * Default: no limit, except that `timeoutMs` limits each attempt.
   */
  readonly deadline?: Duration | undefined
  /**
   * How many times a call is attempted, and how long the client waits between attempts. The contract says which
   * operations may be retried.
   */
  readonly retry?: RetryOptions | undefined
  /**
   * Whether a difference between the contract and a response or WebSocket message is reported (`'report'`, the
   * default), thrown as an error (`'enforce'`) or ignored (`'off'`).
   */
  readonly validate?: ValidationMode | undefined
  /**
   * Called when a response differs from the contract. Without `onDrift`, the client emits process warnings. It warns
   * only once about each field of an operation's response.
   */
  readonly onDrift?: ((report: DriftReport) => void) | undefined
  /**
   * A rate limit that every attempt waits for, such as `postgresRateLimit` from `@concord/postgres`. The wait counts
   * toward the deadline of the call, but not toward `timeoutMs`. Default: no limit.
   */
  readonly rateLimit?: RateLimit | undefined
  /** Receives the events of the client, which contain no secrets. */
  readonly observe?: Observe | undefined
  /** The name of the response header that contains the request id. Default: no request id is read. */
  readonly requestIdHeader?: string | undefined
  /**
   * Response headers with quota figures: `{ pagesPerMonth: 'name-of-the-header' }` sets `quota.pagesPerMonth` on every
   * response and error. Default: none are read.
   */
  readonly quotaHeaders?: Readonly<Record<string, string>> | undefined
  /** Headers to send with every request, including WebSocket handshakes, in addition to those of the contract. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Maximum size of a response in bytes. A longer response is an error. Default 134,217,728 (128 MiB). Streams are not
   * limited.
   */
  readonly maxResponseBytes?: number | undefined
  /** Maximum number of connections to each server; Node only. Default 64. */
  readonly connections?: number | undefined
  /** The transport for requests. Default: undici in Node, fetch elsewhere. The default loads with the first call. */
  readonly transport?: Transport | undefined
  /** Aborting this signal ends all calls, waits and connections with the signal's own reason. */
  readonly signal?: AbortSignal | undefined
  /** The source of time for all waits. Default: the system clock. Pass a virtual clock in tests. */
  readonly clock?: Clock | undefined
  /** The source of numbers from 0 to 1, for delays between retries. Default: `Math.random`. */
  readonly random?: RandomSource | undefined
}

/** The names of {@link CommonOptions}, for a client that also validates its own options. @public */
export const COMMON_OPTIONS: OptionNames<CommonOptions> = {
  timeoutMs: true,
  deadline: true,
  retry: true,
  validate: true,
  onDrift: true,
  rateLimit: true,
  observe: true,
  requestIdHeader: true,
  quotaHeaders: true,
  headers: true,
  maxResponseBytes: true,
  connections: true,
  transport: true,
  signal: true,
  clock: true,
  random: true,
}

/** Options of {@link createClient}. All except `servers` are optional. @public */
export interface ClientOptions extends CommonOptions {
  /**
   * Maps the name of each server in the contract to its base URL. The client appends the path of each operation to
   * the path of this URL.
   */
  readonly servers: Readonly<Record<string, string>>
  /** Maps the name of each security scheme in the contract to its credential. */
  readonly credentials?: Readonly<Record<string, Credential>> | undefined
  /**
   * Maps the name of each security scheme to the option that sets its credential in a generated client class. Error
   * messages use these option names.
   */
  readonly credentialOptions?: Readonly<Record<string, string>> | undefined
  /**
   * The transport for sockets. Default: `ws` in Node, the global `WebSocket` elsewhere. The default loads with the
   * first connection.
   */
  readonly socketFactory?: SocketFactory | undefined
  /** Turns an error body into a sentence for the error's message. For libraries built on this one. */
  readonly explain?: Explain | undefined
  /** Creates a service-specific error for a response. For libraries built on this one. */
  readonly refineError?: RefineError | undefined
}

/** How failed attempts are retried. The contract says which operations may be retried. @public */
export interface RetryOptions {
  /** Maximum number of attempts, including the first; 1 means no retry. Default 3. */
  readonly maxAttempts?: number | undefined
  /**
   * The upper limit of the delay before the first retry, in milliseconds. This limit doubles with each retry. The
   * actual delay is a random number between 0 and the limit. Default 500.
   */
  readonly baseMs?: number | undefined
  /**
   * Maximum delay before any retry, in milliseconds. If the service asks for a longer delay, that delay applies (see
   * `maxRetryAfterMs`). Default 20,000.
   */
  readonly capMs?: number | undefined
  /**
   * The longest wait that the client accepts from the service, in milliseconds. If the service asks for a longer
   * wait, the call fails at once with the service's error. Default 60,000.
   */
  readonly maxRetryAfterMs?: number | undefined
  /**
   * The size of the retry budget that all calls of the client share. Each retry takes 1 from the budget, and each
   * call adds `budgetPerCall`. Default 20.
   */
  readonly budgetCapacity?: number | undefined
  /** How many retries each call adds to the budget: 0.1 allows one retry for every ten calls. Default 0.1. */
  readonly budgetPerCall?: number | undefined
}

const NAMES: OptionNames<ClientOptions> = {
  servers: true,
  credentials: true,
  credentialOptions: true,
  socketFactory: true,
  explain: true,
  refineError: true,
  ...COMMON_OPTIONS,
}
const RETRY_NAMES: OptionNames<RetryOptions> = {
  maxAttempts: true,
  baseMs: true,
  capMs: true,
  maxRetryAfterMs: true,
  budgetCapacity: true,
  budgetPerCall: true,
}

/** @throws OptionsError */
export function toClientCore(options: ClientOptions): ClientCore {
  checkOptionNames(options, NAMES, 'options')
  const retry = options.retry ?? {}
  checkOptionNames(retry, RETRY_NAMES, 'retry')
  const clock = clockOption(options.clock)
  const connections = numberOption(options.connections, 'connections', 64, { min: 1, whole: true })
  const core: ClientCore = {
    servers: toServers(options.servers),
    credentials: toCredentials(
      plainObject(
        options.credentials,
        'credentials',
        'Pass an object that maps the name of each security scheme to its credential.',
      ),
    ),
    credentialOptions: new Map(Object.entries(options.credentialOptions ?? {})),
    headers: toHeaderList(plainObject(options.headers, 'headers', HEADERS)),
    timeoutMs: numberOption(options.timeoutMs, 'timeoutMs', 60_000, { min: 1 }),
    deadlineMs: options.deadline === undefined ? undefined : parseDuration(options.deadline),
    maxAttempts: numberOption(retry.maxAttempts, 'retry.maxAttempts', 3, { min: 1, whole: true }),
    backoff: {
      baseMs: numberOption(retry.baseMs, 'retry.baseMs', 500, { min: 0 }),
      capMs: numberOption(retry.capMs, 'retry.capMs', 20_000, { min: 0 }),
    },
    maxRetryAfterMs: numberOption(retry.maxRetryAfterMs, 'retry.maxRetryAfterMs', 60_000, { min: 0 }),
    budget: new RetryBudget({
      capacity: numberOption(retry.budgetCapacity, 'retry.budgetCapacity', 20, { min: 0 }),
      perCall: numberOption(retry.budgetPerCall, 'retry.budgetPerCall', 0.1, { min: 0 }),
    }),
    validate: validationOption(options.validate, 'report'),
    maxResponseBytes: numberOption(options.maxResponseBytes, 'maxResponseBytes', 2 ** 27, {
      min: 1,
      whole: true,
    }),
    onDrift: functionOption(options.onDrift, 'onDrift'),
    rateLimit: methodsOption(options.rateLimit, 'rateLimit', ['acquire'], 'Pass a RateLimit, or omit it.'),
    observe: functionOption(options.observe, 'observe'),
    explain: functionOption(options.explain, 'explain'),
    refineError: functionOption(options.refineError, 'refineError'),
    requestIdHeader:
      options.requestIdHeader === undefined
        ? undefined
        : headerName(options.requestIdHeader, 'requestIdHeader'),
    quotaHeaders: Object.entries(plainObject(options.quotaHeaders, 'quotaHeaders', QUOTA)).map(
      ([name, header]) => [name, headerName(header, `quotaHeaders.${name}`)] as const,
    ),
    clock,
    random: functionOption(options.random, 'random') ?? Math.random,
    limits: new TimeLimits(clock),
    signal: signalOption(options.signal),
    closing: new AbortController(),
    transport: transportOption(options.transport),
    socketFactory: functionOption(options.socketFactory, 'socketFactory'),
    loadTransport: (operation) => loadTransport(core, connections, operation),
    plans: new WeakMap(),
    closed: false,
  }
  return core
}

/** @throws OptionsError */
export function transportOption(value: Transport | undefined): Transport | undefined {
  return methodsOption(
    value,
    'transport',
    ['send'],
    'Pass the return value of fetchTransport(), nodeTransport() or memoryTransport(). To use your own fetch function, pass fetchTransport({ fetch }).',
  )
}

async function loadTransport(core: ClientCore, connections: number, operation: string): Promise<Transport> {
  const { defaultTransport } = await load(import('#transport'), { operation })
  core.transport ??= defaultTransport({ connections })
  return core.transport
}

function toServers(servers: unknown): ReadonlyMap<string, BaseUrl> {
  if (typeof servers !== 'object' || servers === null || Object.keys(servers).length === 0) {
    throw new OptionsError(
      'servers',
      'is missing or empty.',
      'Pass an object that maps the name of each server to its base URL.',
    )
  }
  return new Map(Object.entries(servers).map(([name, url]) => [name, parseBaseUrl(url, `servers.${name}`)]))
}

function toCredentials(credentials: Readonly<Record<string, Credential>>): ReadonlyMap<string, Credential> {
  const checked = new Map<string, Credential>()
  for (const [scheme, credential] of Object.entries(credentials)) {
    const option = `credentials.${scheme}`
    const { in: place, name, prefix = '' } = (credential ?? {}) as Partial<Credential>
    if (!Object.hasOwn(PLACES, place!) || typeof name !== 'string' || typeof prefix !== 'string') {
      throw new OptionsError(
        option,
        'does not define how to send the credential.',
        "Pass { in: 'header', name, value }. `in` can also be 'query' or 'cookie'. `name` and the optional `prefix` must be strings.",
      )
    }
    const problem = placeProblem({ in: credential.in, name: credential.name }, 'x')
    if (problem !== undefined)
      throw new OptionsError(
        `${option}.name`,
        `${problem}.`,
        `Pass the name of the ${PLACES[credential.in]} in which the service expects the credential.`,
      )
    if (typeof credential.value !== 'function') checkCredentialValue(credential, credential.value, option)
    checked.set(scheme, credential)
  }
  return checked
}

function toHeaderList(headers: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(headers).map(([name, value]) => {
    const problem = headerProblem(name, value)
    if (problem === undefined) return [name.toLowerCase(), value] as const
    throw new OptionsError(
      `headers.${name}`,
      `${problem}.`,
      headerProblem(name, 'x') === undefined
        ? 'Pass a string without line ends, control characters or characters above U+00FF, or omit this header.'
        : 'Rename or omit this header.',
    )
  })
}

const HEADERS = "Pass an object of strings, such as { 'x-team': 'a' }."
const QUOTA =
  "Pass an object whose keys are names of your choice and whose values are header names, such as { pages: 'x-pages-left' }."

/** @throws OptionsError if the value is an array or isn't an object. An array's indexes would be read as names. */
function plainObject<T extends object>(value: T | undefined, option: string, remedy: string): T | {} {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new OptionsError(option, 'must be an object.', remedy)
}

function headerName(name: unknown, option: string): string {
  if (typeof name === 'string' && headerProblem(name, 'x') === undefined) return name.toLowerCase()
  throw new OptionsError(
    option,
    'is not a valid header name.',
    'Pass the name of a header that the service sends.',
  )
}
