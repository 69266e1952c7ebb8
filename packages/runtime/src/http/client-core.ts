import { systemClock } from '../core/clock.ts'
import { OptionsError } from '../core/errors.ts'
import { load } from '../core/load.ts'
import {
  checkOptionNames,
  choiceOption,
  functionOption,
  numberOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import { TimeLimits } from '../core/time-limits.ts'
import { RetryBudget } from '../retry/budget.ts'
import { type BaseAddress, parseBaseAddress } from './address.ts'
import { checkCredentialValue } from './authorize.ts'
import { type ClientOptions, COMMON_OPTIONS, type RetryOptions } from './client-options.ts'
import type { ClientCore } from './core.ts'
import type { Credential } from './credential.ts'
import { headerProblem } from './headers.ts'
import type { Transport } from './transport.ts'

const NAMES: OptionNames<ClientOptions> = {
  servers: true,
  credentials: true,
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

/** Checks a client's options and fills in the defaults. @throws OptionsError */
export function toClientCore(options: ClientOptions): ClientCore {
  checkOptionNames(options, NAMES, 'options')
  const retry = options.retry ?? {}
  checkOptionNames(retry, RETRY_NAMES, 'retry')
  const clock = options.clock ?? systemClock
  const closing = new AbortController()
  const connections = numberOption(options.connections, 'connections', 64, { min: 1, whole: true })
  const core: ClientCore = {
    servers: toServers(options.servers),
    credentials: toCredentials(options.credentials ?? {}),
    headers: toHeaderList(options.headers ?? {}),
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
    validate: choiceOption(options.validate, 'validate', ['report', 'enforce', 'off'], 'report'),
    maxResponseBytes: numberOption(options.maxResponseBytes, 'maxResponseBytes', 2 ** 27, {
      min: 1,
      whole: true,
    }),
    onDrift: functionOption(options.onDrift, 'onDrift'),
    observe: functionOption(options.observe, 'observe'),
    explain: functionOption(options.explain, 'explain'),
    refineError: functionOption(options.refineError, 'refineError'),
    requestIdHeader:
      options.requestIdHeader === undefined
        ? undefined
        : headerName(options.requestIdHeader, 'requestIdHeader'),
    quotaHeaders: Object.entries(plainObject(options.quotaHeaders, 'quotaHeaders')).map(
      ([name, header]) => [name, headerName(header, `quotaHeaders.${name}`)] as const,
    ),
    clock,
    random: functionOption(options.random, 'random') ?? Math.random,
    limits: new TimeLimits(clock),
    signal: signalOption(options.signal),
    closing,
    closingSignals: [closing.signal],
    transport: transportOption(options.transport),
    socketFactory: functionOption(options.socketFactory, 'socketFactory'),
    loadTransport: () => loadTransport(core, connections),
    closed: false,
  }
  return core
}

/** Nothing of the network is loaded before the first call, and then once. */
async function loadTransport(core: ClientCore, connections: number): Promise<Transport> {
  const { defaultTransport } = await load(import('#transport'))
  core.transport ??= defaultTransport({ connections })
  return core.transport
}

function toServers(servers: unknown): ReadonlyMap<string, BaseAddress> {
  if (typeof servers !== 'object' || servers === null || Object.keys(servers).length === 0) {
    throw new OptionsError(
      'servers',
      '`servers` is missing or empty.',
      'Pass the base address of each server by its name.',
    )
  }
  return new Map(
    Object.entries(servers).map(([name, address]) => [name, parseBaseAddress(address, `servers.${name}`)]),
  )
}

function toCredentials(credentials: Readonly<Record<string, Credential>>): ReadonlyMap<string, Credential> {
  const checked = new Map<string, Credential>()
  for (const [scheme, credential] of Object.entries(credentials)) {
    const option = `credentials.${scheme}`
    if (typeof credential !== 'object' || credential === null || credential.in !== 'header') {
      throw new OptionsError(
        option,
        `\`${option}\` does not say how it is sent.`,
        "Pass { in: 'header', name, value }.",
      )
    }
    const problem = headerProblem(String(credential.name), 'x')
    if (problem !== undefined)
      throw new OptionsError(`${option}.name`, `\`${option}.name\` ${problem}.`, 'Pass the name of a header.')
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
      `\`headers.${name}\` ${problem}.`,
      'Omit it, or pass a plain string.',
    )
  })
}

/** @throws OptionsError when it is not an object of names: an array would be taken for names 0, 1, 2. */
function plainObject(value: unknown, option: string): object {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new OptionsError(
    option,
    `\`${option}\` must be an object.`,
    "Pass the names of the headers by names of your own, such as { pages: 'x-pages-left' }.",
  )
}

function transportOption(value: unknown): Transport | undefined {
  if (value === undefined || typeof (value as Partial<Transport> | null)?.send === 'function')
    return value as Transport | undefined
  throw new OptionsError(
    'transport',
    '`transport` must be an object with a `send` method.',
    'Pass what fetchTransport(), nodeTransport() or memoryTransport() returns; a `fetch` goes into fetchTransport({ fetch }).',
  )
}

function headerName(name: unknown, option: string): string {
  if (typeof name === 'string' && headerProblem(name, 'x') === undefined) return name.toLowerCase()
  throw new OptionsError(
    option,
    `\`${option}\` is not the name of a header.`,
    'Pass the name as the service sends it.',
  )
}
