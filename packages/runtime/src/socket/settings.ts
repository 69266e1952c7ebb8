import type { ChannelDescriptor } from '../core/descriptors.ts'
import { OptionsError, type SocketError } from '../core/errors.ts'
import {
  checkOptionNames,
  choiceOption,
  functionOption,
  numberOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import type { ValidationMode } from '../http/call-options.ts'
import type { ClientCore } from '../http/client-state.ts'
import { type ConcurrencyLimit, isConcurrencyLimit } from '../limit/limits.ts'
import type { BackoffOptions } from '../retry/retry.ts'
import type {
  CloseOptions,
  ConnectionBase,
  FinishOptions,
  Received,
  SocketRequestOptions,
} from './connection.ts'
import {
  type CloseInfo,
  type ConnectOptions,
  type LivenessOptions,
  type ReceivingOptions,
  type ReconnectOptions,
  type SendingOptions,
  SOCKET_OPTIONS,
} from './options.ts'
import type { SocketFactory } from './socket.ts'

type AnyReceived = Received<ChannelDescriptor>

/** The checked options of a connection, with all defaults filled in. */
export interface ConnectionSettings {
  readonly parameters: unknown
  readonly query: unknown
  readonly extraQuery: Readonly<Record<string, unknown>> | undefined
  readonly extraHeaders: Readonly<Record<string, string>> | undefined
  /** Aborting any of these signals ends the connection. */
  readonly signals: readonly AbortSignal[]
  readonly handshakeTimeoutMs: number
  readonly closeTimeoutMs: number
  readonly validate: ValidationMode
  readonly compression: boolean
  readonly maxMessageBytes: number
  readonly sending: Required<SendingOptions>
  readonly receiving: Required<ReceivingOptions>
  readonly acknowledged: ((message: AnyReceived) => boolean) | undefined
  readonly acknowledgeTimeoutMs: number
  readonly finalError: ((cause: AnyReceived | SocketError) => Error | undefined) | undefined
  readonly properEnd: (end: CloseInfo) => boolean
  readonly reconnect: ReconnectSettings | undefined
  readonly liveness: LivenessSettings
  readonly rebase: ((data: unknown, base: ConnectionBase) => unknown) | undefined
  readonly connectionLimit: ConcurrencyLimit | undefined
  readonly weight: number
  readonly connectionLimitTimeoutMs: number
  readonly socketFactory: SocketFactory | undefined
}

export interface ReconnectSettings {
  readonly deadlineMs: number
  readonly backoff: BackoffOptions
  readonly sends: 'wait' | 'fail'
  readonly when: (end: CloseInfo) => boolean
  readonly resendBytes: number
  readonly heard: (message: AnyReceived) => boolean
}

/** `Infinity` turns a check off. */
export type LivenessSettings = Required<LivenessOptions>

const NAMES: OptionNames<ConnectOptions<unknown>> = {
  ...SOCKET_OPTIONS,
  parameters: true,
  query: true,
  acknowledged: true,
  acknowledgeTimeoutMs: true,
  finalError: true,
  rebase: true,
  connectionLimit: true,
}

const EXTRA_NAMES: OptionNames<NonNullable<ConnectOptions<unknown>['extra']>> = { query: true, headers: true }
const SENDING_NAMES: OptionNames<SendingOptions> = { highBytes: true, lowBytes: true, maxBytes: true }
const RECEIVING_NAMES: OptionNames<ReceivingOptions> = { whenFull: true, maxBytes: true, maxMessages: true }
const LIVENESS_NAMES: OptionNames<LivenessOptions> = {
  pingIntervalMs: true,
  pongTimeoutMs: true,
  inactivityMs: true,
}
const RECONNECT_NAMES: OptionNames<ReconnectOptions> = {
  deadline: true,
  baseMs: true,
  capMs: true,
  sends: true,
  when: true,
  resendBytes: true,
  heard: true,
}
const CLOSE_NAMES: OptionNames<CloseOptions> = { code: true, reason: true }
const FINISH_NAMES: OptionNames<FinishOptions> = { ...CLOSE_NAMES, quietMs: true }
const REQUEST_NAMES: OptionNames<SocketRequestOptions> = { signal: true, timeoutMs: true }

/** Checks the options of `connect` and fills in defaults. @throws OptionsError */
export function settingsOf(
  core: ClientCore,
  channel: ChannelDescriptor,
  options: ConnectOptions<ChannelDescriptor>,
): ConnectionSettings {
  checkOptionNames(options, NAMES, 'options')
  const { extra = {}, connectionLimit } = options
  checkOptionNames(extra, EXTRA_NAMES, 'extra')
  if (connectionLimit !== undefined && !isConcurrencyLimit(connectionLimit))
    throw new OptionsError(
      'connectionLimit',
      'must be a Semaphore or another ConcurrencyLimit.',
      'Create a Semaphore with `new Semaphore(capacity)`.',
    )
  if (channel.rules.gate !== undefined && options.acknowledged === undefined) {
    throw new OptionsError(
      'acknowledged',
      `is missing. On the channel \`${channel.id}\`, the server must acknowledge the message \`${channel.rules.gate.message}\` before it accepts any other message.`,
      'Pass a function that returns true for the acknowledgement.',
    )
  }
  const own = signalOption(options.signal)
  return {
    parameters: options.parameters,
    query: options.query,
    extraQuery: extra.query,
    extraHeaders: extra.headers,
    signals: [own, core.signal, core.closing.signal].filter((signal) => signal !== undefined),
    handshakeTimeoutMs: numberOption(options.handshakeTimeoutMs, 'handshakeTimeoutMs', 30_000, { min: 1 }),
    closeTimeoutMs: numberOption(options.closeTimeoutMs, 'closeTimeoutMs', 5_000, { min: 1 }),
    validate: choiceOption(
      options.validate,
      'validate',
      { report: true, enforce: true, off: true },
      core.validate,
    ),
    compression: options.compression === true,
    maxMessageBytes: numberOption(options.maxMessageBytes, 'maxMessageBytes', 2 ** 24, {
      min: 1,
      whole: true,
    }),
    sending: sendingOf(options.sending ?? {}),
    receiving: receivingOf(options.receiving ?? {}),
    acknowledged: functionOption(options.acknowledged, 'acknowledged'),
    acknowledgeTimeoutMs: numberOption(options.acknowledgeTimeoutMs, 'acknowledgeTimeoutMs', 10_000, {
      min: 1,
    }),
    finalError: functionOption(options.finalError, 'finalError'),
    properEnd: functionOption(options.properEnd, 'properEnd') ?? (() => false),
    reconnect: reconnectOf(options.reconnect),
    liveness: livenessOf(options.liveness),
    rebase: functionOption(options.rebase, 'rebase'),
    connectionLimit,
    weight: options.weight ?? 1,
    connectionLimitTimeoutMs: numberOption(
      options.connectionLimitTimeoutMs,
      'connectionLimitTimeoutMs',
      Infinity,
      { min: 0 },
    ),
    socketFactory: functionOption(options.socketFactory, 'socketFactory'),
  }
}

function sendingOf(options: SendingOptions): Required<SendingOptions> {
  checkOptionNames(options, SENDING_NAMES, 'sending')
  const whole = { min: 1, whole: true }
  const highBytes = numberOption(options.highBytes, 'sending.highBytes', 2 ** 20, whole)
  const lowBytes = numberOption(options.lowBytes, 'sending.lowBytes', Math.ceil(highBytes / 4), whole)
  const maxBytes = numberOption(options.maxBytes, 'sending.maxBytes', highBytes * 4, whole)
  if (lowBytes <= highBytes && highBytes <= maxBytes) return { highBytes, lowBytes, maxBytes }
  throw new OptionsError(
    'sending',
    `has limits in the wrong order: \`lowBytes\` is ${lowBytes}, \`highBytes\` is ${highBytes}, and \`maxBytes\` is ${maxBytes}.`,
    '`lowBytes` must be at most `highBytes`, and `highBytes` at most `maxBytes`.',
  )
}

function receivingOf(options: ReceivingOptions): Required<ReceivingOptions> {
  checkOptionNames(options, RECEIVING_NAMES, 'receiving')
  const whole = { min: 1, whole: true }
  return {
    whenFull: choiceOption(
      options.whenFull,
      'receiving.whenFull',
      { pressure: true, overflow: true },
      'pressure',
    ),
    maxBytes: numberOption(options.maxBytes, 'receiving.maxBytes', 2 ** 20, whole),
    maxMessages: numberOption(options.maxMessages, 'receiving.maxMessages', 4096, whole),
  }
}

function reconnectOf(options: ReconnectOptions | boolean = false): ReconnectSettings | undefined {
  if (options === false) return undefined
  const given = options === true ? {} : options
  checkOptionNames(given, RECONNECT_NAMES, 'reconnect')
  return {
    deadlineMs: parseDuration(given.deadline ?? '2m', 'reconnect.deadline'),
    backoff: {
      baseMs: numberOption(given.baseMs, 'reconnect.baseMs', 500, { min: 0 }),
      capMs: numberOption(given.capMs, 'reconnect.capMs', 20_000, { min: 0 }),
    },
    sends: choiceOption(given.sends, 'reconnect.sends', { wait: true, fail: true }, 'wait'),
    when: functionOption(given.when, 'reconnect.when') ?? (() => true),
    resendBytes: numberOption(given.resendBytes, 'reconnect.resendBytes', 0, { min: 0, whole: true }),
    heard: functionOption(given.heard, 'reconnect.heard') ?? (() => true),
  }
}

function livenessOf(options: LivenessOptions | false = {}): LivenessSettings {
  if (options === false) return { pingIntervalMs: Infinity, pongTimeoutMs: Infinity, inactivityMs: Infinity }
  checkOptionNames(options, LIVENESS_NAMES, 'liveness')
  return {
    pingIntervalMs: numberOption(options.pingIntervalMs, 'liveness.pingIntervalMs', 10_000, { min: 1 }),
    pongTimeoutMs: numberOption(options.pongTimeoutMs, 'liveness.pongTimeoutMs', 10_000, { min: 1 }),
    inactivityMs: numberOption(options.inactivityMs, 'liveness.inactivityMs', Infinity, { min: 1 }),
  }
}

const MAX_REASON_BYTES = 123

/** @throws OptionsError if the code or the reason can't be sent (RFC 6455, sections 5.5 and 7.4). */
export function checkClose(options: CloseOptions): Required<CloseOptions> {
  checkOptionNames(options, CLOSE_NAMES, 'options')
  const { code = 1000, reason = '' } = options
  // On platforms other than Node, a client can send only 1000 and the codes from 3000 to 4999.
  if (code !== 1000 && !(Number.isInteger(code) && code >= 3000 && code <= 4999))
    throw new OptionsError(
      'code',
      'must be a code that a client can send.',
      'Use 1000, or a code from 3000 to 4999.',
    )
  if (typeof reason !== 'string' || new TextEncoder().encode(reason).length > MAX_REASON_BYTES)
    throw new OptionsError(
      'reason',
      'must be a string of at most 123 bytes.',
      typeof reason === 'string' ? 'Use a shorter reason.' : 'Pass a string.',
    )
  return { code, reason }
}

export function checkFinish(options: FinishOptions): Required<FinishOptions> {
  checkOptionNames(options, FINISH_NAMES, 'options')
  const { quietMs, ...close } = options
  return { ...checkClose(close), quietMs: numberOption(quietMs, 'quietMs', 5_000, { min: 0 }) }
}

interface RequestSettings {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

export function checkRequest(options: SocketRequestOptions): RequestSettings {
  checkOptionNames(options, REQUEST_NAMES, 'options')
  return {
    signal: signalOption(options.signal),
    timeoutMs: numberOption(options.timeoutMs, 'timeoutMs', 30_000, { min: 1 }),
  }
}
