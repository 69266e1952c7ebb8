import {
  type ChannelDescriptor,
  type ConnectOptions,
  OptionsError,
  type StandardSchema,
} from '@concord/runtime'
import { checkOptionNames, functionOption, numberOption, type OptionNames } from '@concord/runtime/internal'

import { speechCode } from './errors.ts'
import type { OtherEvent, ServerEvent } from './events.ts'
import type { Typed } from './schema.ts'
import { type SpeechSocketOptions, toSocketOptions } from './socket-options.ts'

/**
 * Text to speak: a string, or strings as they arrive. Each string is one piece, sent as one `Speak` message.
 *
 * @public
 */
export type TextSource = string | Iterable<string> | AsyncIterable<string>

/**
 * How to recognize the end of the audio. The documentation doesn't say, so the client has no default. `presets` has
 * the rule for the emulator.
 *
 * @public
 */
export interface SynthesisRule {
  /**
   * A function that receives each event. It returns `true` if the event says that the text of one `Speak` message was
   * completely spoken. If the event reports several messages, the function returns their number. If the audio ends
   * when the service closes the connection, pass `'close'` instead: the client then sends text without waiting for
   * earlier text to be spoken.
   */
  readonly spoken: 'close' | ((event: unknown) => boolean | number)
  /**
   * A JSON message to send after the last piece of each {@link TextSource}, if the service needs the message. The
   * documentation doesn't show such a message.
   */
  readonly afterText?: unknown
  /**
   * A JSON message that makes the service speak any text that it holds back. The client sends the message after each
   * piece. The documentation doesn't show such a message.
   */
  readonly flush?: unknown
}

/**
 * How to make the service drop unspoken text. The documentation doesn't say, so there is no default.
 *
 * @public
 */
export interface ClearRule {
  /** The JSON message to send. */
  readonly message: unknown
  /** Recognizes the event that confirms the message. Audio after this event belongs to later pieces. */
  readonly cleared: (event: unknown) => boolean
}

/** Options of streaming synthesis. @public */
export interface SynthesisOptions<Schema extends StandardSchema = never>
  extends SynthesisRule, Omit<SpeechSocketOptions<Schema>, 'timestamps' | 'reconnect'> {
  /** The service's own options, sent as query parameters. Their names are not documented. */
  readonly query?: Readonly<Record<string, unknown>>
  /** Additional fields for each `Speak` message. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Called with each event. Every message from the service except audio is an event. */
  readonly onEvent?: (event: ServerEvent<Typed<Schema>> | OtherEvent) => void
  readonly pace?: SynthesisPace
  /**
   * If the service sends nothing for this many milliseconds while text is being spoken, iterating over the audio
   * throws a TimeoutError. Default: 30,000.
   */
  readonly idleTimeoutMs?: number
  /**
   * While more than this many bytes of audio are buffered, the client doesn't read from the connection. Default:
   * 8 MiB.
   */
  readonly maxBufferedBytes?: number
}

/** Options of a {@link Synthesizer}. @public */
export interface SynthesizerOptions<Schema extends StandardSchema = never> extends SynthesisOptions<Schema> {
  /**
   * A function that receives each event. It returns `true` if the event says that the text of one `Speak` message was
   * completely spoken. If the event reports several messages, the function returns their number.
   */
  readonly spoken: (event: unknown) => boolean | number
  /** With this rule, {@link Synthesizer.interrupt} also makes the service drop unspoken text. */
  readonly clear?: ClearRule
}

/** How fast text is sent. @public */
export interface SynthesisPace {
  /**
   * How many pieces may be sent before the first of them is completely spoken. A larger number is faster. But if the
   * service reports its character rate limit while several pieces are in flight, the synthesis ends, because the
   * client can't know which piece the limit applies to. Default: 1.
   */
  readonly ahead?: number
  /** Returns true for an event that reports the character rate limit. Default: looks for DATA-0001 in the event. */
  readonly limited?: (event: unknown) => boolean
  /**
   * The longest wait after the first report of a rate limit, in milliseconds. The longest wait doubles with each
   * further report, up to `capMs`. The actual wait is a random time between half of the longest wait and all of it.
   * Default: 1,000.
   */
  readonly baseMs?: number
  /** The longest wait never grows beyond this many milliseconds. Default: 20,000. */
  readonly capMs?: number
  /** The maximum number of times that a piece is sent. Default: 10. */
  readonly attempts?: number
}

/** Checked options of synthesis, with all defaults filled in. */
export interface SynthesisSettings {
  readonly spoken: SynthesisRule['spoken']
  readonly afterText: unknown
  readonly flush: unknown
  readonly clear: ClearRule | undefined
  readonly idleTimeoutMs: number
  readonly maxBufferedBytes: number
  readonly fields: Readonly<Record<string, unknown>>
  readonly schema: StandardSchema | undefined
  readonly onEvent: ((event: ServerEvent | OtherEvent) => void) | undefined
  readonly pace: Required<SynthesisPace>
  readonly signal: AbortSignal | undefined
  readonly connect: ConnectOptions<ChannelDescriptor>
}

type OwnName = Exclude<keyof SynthesisOptions, keyof SpeechSocketOptions>
const OWN: Readonly<Record<OwnName, true>> = {
  spoken: true,
  afterText: true,
  query: true,
  fields: true,
  onEvent: true,
  pace: true,
  flush: true,
  idleTimeoutMs: true,
  maxBufferedBytes: true,
}
const PACE_NAMES: OptionNames<SynthesisPace> = {
  ahead: true,
  limited: true,
  baseMs: true,
  capMs: true,
  attempts: true,
}

/** @throws OptionsError if `text` is neither a string nor an iterable. */
export function checkText(text: unknown): void {
  if (typeof text === 'string') return
  if (typeof text === 'object' && text !== null && (Symbol.asyncIterator in text || Symbol.iterator in text))
    return
  throw new OptionsError('text', 'must be a string or an iterable of strings.', 'Pass the text to speak.')
}

/** @throws OptionsError */
export function toSynthesisSettings(
  options: SynthesisOptions<StandardSchema> & { readonly clear?: ClearRule },
): SynthesisSettings {
  if (typeof options !== 'object' || options === null)
    throw new OptionsError(
      'options',
      'The options must be an object.',
      'Pass at least `spoken`; for the emulator, use presets.emulator.synthesis.',
    )
  const { spoken, afterText, flush, clear, query, fields, onEvent, pace = {}, schema, signal } = options
  if (spoken !== 'close' && typeof spoken !== 'function') {
    throw new OptionsError(
      'spoken',
      "`spoken` is required, because the service's documentation doesn't say how to recognize the end of the audio.",
      "Pass a function that returns true for the event at the end of a text's audio. If the service closes the connection instead, pass 'close'. For the emulator, use presets.emulator.synthesis.",
    )
  }
  for (const name of ['timestamps', 'reconnect'] as const) {
    if (name in options) throw new OptionsError(name, 'has no meaning for synthesis.', 'Omit the option.')
  }
  checkOptionNames(pace, PACE_NAMES, 'pace')
  for (const [name, value] of [
    ['query', query],
    ['fields', fields],
  ] as const) {
    if (value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value)))
      continue
    throw new OptionsError(name, 'must be an object.', 'Pass an object, or omit the option.')
  }
  return {
    spoken,
    afterText,
    flush,
    clear: clearRule(clear),
    idleTimeoutMs: numberOption(options.idleTimeoutMs, 'idleTimeoutMs', 30_000, { min: 1 }),
    maxBufferedBytes: numberOption(options.maxBufferedBytes, 'maxBufferedBytes', 8 * 1024 * 1024, { min: 0 }),
    fields: fields ?? {},
    schema,
    onEvent: functionOption(onEvent, 'onEvent') as ((event: ServerEvent | OtherEvent) => void) | undefined,
    pace: {
      ahead:
        spoken === 'close' ? Infinity : numberOption(pace.ahead, 'pace.ahead', 1, { min: 1, whole: true }),
      limited: functionOption(pace.limited, 'pace.limited') ?? ((event) => speechCode(event) === 'DATA-0001'),
      baseMs: numberOption(pace.baseMs, 'pace.baseMs', 1000, { min: 1 }),
      capMs: numberOption(pace.capMs, 'pace.capMs', 20_000, { min: 1 }),
      attempts: numberOption(pace.attempts, 'pace.attempts', 10, { min: 1, whole: true }),
    },
    signal,
    // This channel has no documented parameters, so all query parameters go into `extra`.
    connect: {
      ...toSocketOptions(options, { ...OWN, clear: true }),
      extra: { ...options.extra, query: { ...query, ...options.extra?.query } },
      // These close codes mean that the connection ended properly. They don't mean that everything was spoken.
      properEnd: ({ closeCode, reason }) =>
        (closeCode === 1000 || closeCode === 1005) && speechCode(reason) === undefined,
    },
  }
}

function clearRule(clear: ClearRule | undefined): ClearRule | undefined {
  if (clear === undefined) return undefined
  checkOptionNames(clear, { message: true, cleared: true } satisfies OptionNames<ClearRule>, 'clear')
  if (clear.message === undefined || typeof clear.cleared !== 'function')
    throw new OptionsError(
      'clear',
      'must have a `message` and a function `cleared`.',
      "Pass both. Without `cleared`, the audio of dropped text can't be distinguished from the audio of later text.",
    )
  return clear
}
