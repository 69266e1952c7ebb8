import {
  type ChannelDescriptor,
  checkOptionNames,
  type ConnectOptions,
  OptionsError,
  RequestInvalidError,
  type StandardSchema,
  type OptionNames,
} from '@concord/runtime'

import { checkSchema } from './schema.ts'
import { rebaseWith, type Timestamps } from './timestamps.ts'

/** How a WebSocket of the service is opened and treated. @public */
export interface SpeechSocketOptions<Schema extends StandardSchema = never> extends Pick<
  ConnectOptions<ChannelDescriptor>,
  SharedName
> {
  /** Types the events whose payloads the documentation does not show. What it does not take comes as `other`. */
  readonly schema?: Schema
  /** Moves the time stamps of later connections on, so that they count from the beginning of the first. */
  readonly timestamps?: Timestamps
  /** How much of the client's connection limit this one takes. Default: what the client's `weigh` says. */
  readonly weight?: number
}

/** What transcription can be told of the audio. @public */
export interface AudioHint {
  /**
   * Whether the audio is in a container (mp3, wav, ogg). Then `encoding`, and for `converse` also `language`, are rejected
   * before anything is opened. So is `reconnect`, because a new connection would begin in the middle of the file, without
   * its header. Default: not known, and not checked.
   */
  readonly containerized?: boolean
}

/** The names of {@link AudioHint}. */
export const AUDIO_HINT: OptionNames<AudioHint> = { containerized: true }

const SHARED = {
  extra: true,
  signal: true,
  handshakeTimeoutMs: true,
  closeTimeoutMs: true,
  validate: true,
  compression: true,
  maxMessageBytes: true,
  sending: true,
  receiving: true,
  properEnd: true,
  reconnect: true,
  liveness: true,
  semaphoreTimeoutMs: true,
  socketFactory: true,
} satisfies Partial<OptionNames<ConnectOptions<unknown>>>

const PICKED = { ...SHARED, weight: true } as const
const NAMES: OptionNames<SpeechSocketOptions> = { ...PICKED, schema: true, timestamps: true }

type SharedName = keyof typeof SHARED

/** The runtime's options of these. @throws OptionsError when one is unknown or cannot be used. */
export function toConnectOptions(
  options: SpeechSocketOptions<StandardSchema>,
  own: Readonly<Record<string, true>> = {},
): Pick<ConnectOptions<ChannelDescriptor>, SharedName | 'weight' | 'rebase'> {
  checkOptionNames(options, { ...NAMES, ...own }, 'options')
  const { schema, timestamps } = options
  checkSchema(schema)
  if (options.weight !== undefined) checkWeight(options.weight)
  const picked = Object.fromEntries(
    (Object.keys(PICKED) as (keyof typeof PICKED)[]).flatMap((name) =>
      options[name] === undefined ? [] : [[name, options[name]]],
    ),
  )
  return { ...picked, ...(timestamps === undefined ? undefined : { rebase: rebaseWith(timestamps) }) }
}

/** Checked here, since nobody looks at it where there is no limit. */
function checkWeight(weight: unknown): void {
  if (typeof weight === 'number' && weight > 0 && Number.isFinite(weight)) return
  throw new OptionsError('weight', 'is not a number above 0.', 'Give one, or leave it out.')
}

/** @throws RequestInvalidError for parameters that cannot be sent, where there are some. */
export function refuseQuery(
  operation: string,
  names: readonly string[],
  reason: string,
  ending = 'Nothing was opened.',
): void {
  if (names.length === 0) return
  const issues = names.map((name) => ({ path: `/query/${name}`, reason }))
  throw new RequestInvalidError(
    `${operation}: ${issues.map(({ path }) => `${path}: ${reason}`).join('; ')}. ${ending}`,
    issues,
    { operation },
  )
}

/** @throws RequestInvalidError, OptionsError when there is something that containerized audio must not come with. */
export function checkContainer(
  channel: string,
  query: Readonly<Record<string, unknown>>,
  hint: AudioHint & Pick<SpeechSocketOptions, 'reconnect'>,
  forbidden: readonly string[],
): void {
  if (hint.containerized !== true) return
  if (hint.reconnect !== undefined && hint.reconnect !== false)
    throw new OptionsError(
      'reconnect',
      'cannot be used for audio in a container: a new connection would begin in the middle of the file, without its header.',
      'Leave it out and send the file again after a loss, or send raw audio with its `encoding`.',
    )
  const names = forbidden.filter((name) => query[name] !== undefined)
  refuseQuery(channel, names, 'must not be given for audio in a container')
}

/** Documented to be unavailable on `/v2/listen`; the contract refuses them there. */
const UNAVAILABLE = ['smart_format', 'diarize', 'punctuate']

/** They are not open, so they are not passed through either. @throws RequestInvalidError */
export function checkAvailable(channel: string, extra: Readonly<Record<string, unknown>> | undefined): void {
  const names = UNAVAILABLE.filter((name) => extra?.[name] !== undefined)
  refuseQuery(channel, names, 'is unavailable here')
}

/**
 * A name that is not documented would be left out in silence, so it is refused.
 *
 * @throws OptionsError, RequestInvalidError
 */
export function checkNames(
  operation: string,
  options: Readonly<Record<string, unknown>>,
  { query }: ChannelDescriptor<unknown, unknown, unknown>,
): void {
  if (typeof options !== 'object' || options === null)
    throw new OptionsError('options', 'is not an object.', 'Give an object of options.')
  const known = [...query.map(({ name }) => name), ...UNAVAILABLE]
  const names = Object.keys(options).filter((name) => !known.includes(name))
  const reason = 'is not an option that is documented; if it is meant, give it in extra.query'
  refuseQuery(operation, names, reason, 'Nothing was sent.')
}
