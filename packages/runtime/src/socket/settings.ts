import type { ChannelDescriptor } from '../core/channel.ts'
import { parseDuration } from '../core/duration.ts'
import { OptionsError } from '../core/errors.ts'
import {
  checkOptionNames,
  choiceOption,
  functionOption,
  numberOption,
  signalOption,
  type OptionNames,
} from '../core/option-checks.ts'
import type { ValidationMode } from '../http/call-options.ts'
import type { ClientCore } from '../http/core.ts'
import { Semaphore } from '../limit/semaphore.ts'
import type { BackoffOptions } from '../retry/backoff.ts'
import type { ConnectOptions, ReceivingOptions, ReconnectOptions, SendingOptions } from './connect-options.ts'
import type { ConnectionBase, Received } from './received.ts'
import type { SocketFactory } from './socket.ts'

/** The options of a connection once they are checked, with all defaults filled in. */
export interface ConnectionSettings {
  readonly query: unknown
  readonly extraQuery: Readonly<Record<string, unknown>> | undefined
  readonly extraHeaders: Readonly<Record<string, string>> | undefined
  /** Each of them ends the connection. */
  readonly signals: readonly AbortSignal[]
  readonly handshakeTimeoutMs: number
  readonly closeTimeoutMs: number
  readonly validate: ValidationMode
  readonly compression: boolean
  readonly maxMessageBytes: number
  readonly sending: Required<SendingOptions>
  readonly receiving: Required<ReceivingOptions>
  readonly acknowledged: ((message: Received<ChannelDescriptor>) => boolean) | undefined
  readonly reconnect: ReconnectSettings | undefined
  readonly rebase: ((data: unknown, base: ConnectionBase) => unknown) | undefined
  readonly semaphore: Semaphore | undefined
  readonly weight: number
  readonly socketFactory: SocketFactory | undefined
}

/** The options of reconnecting, checked. */
export interface ReconnectSettings {
  readonly deadlineMs: number
  readonly backoff: BackoffOptions
  readonly sends: 'wait' | 'fail'
  readonly when: NonNullable<ReconnectOptions['when']>
}

const NAMES: OptionNames<ConnectOptions<unknown>> = {
  query: true,
  extra: true,
  signal: true,
  handshakeTimeoutMs: true,
  closeTimeoutMs: true,
  validate: true,
  compression: true,
  maxMessageBytes: true,
  sending: true,
  receiving: true,
  acknowledged: true,
  reconnect: true,
  rebase: true,
  semaphore: true,
  weight: true,
  socketFactory: true,
}

const EXTRA_NAMES: OptionNames<NonNullable<ConnectOptions<unknown>['extra']>> = { query: true, headers: true }
const SENDING_NAMES: OptionNames<SendingOptions> = { highBytes: true, lowBytes: true, maxBytes: true }
const RECEIVING_NAMES: OptionNames<ReceivingOptions> = { whenFull: true, maxBytes: true, maxMessages: true }
const RECONNECT_NAMES: OptionNames<ReconnectOptions> = {
  deadline: true,
  baseMs: true,
  capMs: true,
  sends: true,
  when: true,
}

/** @throws OptionsError when one is unknown or cannot be used. */
export function settingsOf(
  core: ClientCore,
  channel: ChannelDescriptor,
  options: ConnectOptions<ChannelDescriptor>,
): ConnectionSettings {
  checkOptionNames(options, NAMES, 'options')
  const { extra = {}, semaphore } = options
  checkOptionNames(extra, EXTRA_NAMES, 'extra')
  if (semaphore !== undefined && !(semaphore instanceof Semaphore))
    throw new OptionsError('semaphore', 'is not a Semaphore.', 'Make one with new Semaphore(capacity).')
  if (channel.rules.gate !== undefined && options.acknowledged === undefined) {
    throw new OptionsError(
      'acknowledged',
      `is missing, and ${channel.id} takes no binary message before ${channel.rules.gate.message} was acknowledged.`,
      'Give a function that says which received message is the acknowledgement.',
    )
  }
  const own = signalOption(options.signal)
  return {
    query: options.query,
    extraQuery: extra.query,
    extraHeaders: extra.headers,
    signals: [own, core.signal, core.closing.signal].filter((signal) => signal !== undefined),
    handshakeTimeoutMs: numberOption(options.handshakeTimeoutMs, 'handshakeTimeoutMs', 30_000, { min: 1 }),
    closeTimeoutMs: numberOption(options.closeTimeoutMs, 'closeTimeoutMs', 5_000, { min: 1 }),
    validate: choiceOption(options.validate, 'validate', ['report', 'enforce', 'off'], core.validate),
    compression: options.compression === true,
    maxMessageBytes: numberOption(options.maxMessageBytes, 'maxMessageBytes', 2 ** 24, {
      min: 1,
      whole: true,
    }),
    sending: sendingOf(options.sending ?? {}),
    receiving: receivingOf(options.receiving ?? {}),
    acknowledged: functionOption(options.acknowledged, 'acknowledged'),
    reconnect: reconnectOf(options.reconnect),
    rebase: functionOption(options.rebase, 'rebase'),
    semaphore,
    weight: options.weight ?? 1,
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
    'has marks that are not in order.',
    'Give lowBytes at most highBytes, and highBytes at most maxBytes.',
  )
}

function receivingOf(options: ReceivingOptions): Required<ReceivingOptions> {
  checkOptionNames(options, RECEIVING_NAMES, 'receiving')
  const whole = { min: 1, whole: true }
  return {
    whenFull: choiceOption(options.whenFull, 'receiving.whenFull', ['pressure', 'overflow'], 'pressure'),
    maxBytes: numberOption(options.maxBytes, 'receiving.maxBytes', 2 ** 20, whole),
    maxMessages: numberOption(options.maxMessages, 'receiving.maxMessages', 4096, whole),
  }
}

function reconnectOf(options: ReconnectOptions | boolean | undefined): ReconnectSettings | undefined {
  if (options === undefined || options === false) return undefined
  const given = options === true ? {} : options
  checkOptionNames(given, RECONNECT_NAMES, 'reconnect')
  return {
    deadlineMs: parseDuration(given.deadline ?? '2m', 'reconnect.deadline'),
    backoff: {
      baseMs: numberOption(given.baseMs, 'reconnect.baseMs', 500, { min: 0 }),
      capMs: numberOption(given.capMs, 'reconnect.capMs', 20_000, { min: 0 }),
    },
    sends: choiceOption(given.sends, 'reconnect.sends', ['wait', 'fail'], 'wait'),
    when: functionOption(given.when, 'reconnect.when') ?? (({ closeCode }) => closeCode !== 1000),
  }
}
