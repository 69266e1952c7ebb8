import {
  type ChannelDescriptor,
  type ConnectOptions,
  OptionsError,
  RequestInvalidError,
  type StandardSchema,
} from '@concord/runtime'
import {
  checkOptionNames,
  type OptionNames,
  SOCKET_OPTIONS,
  type SocketOptions,
} from '@concord/runtime/internal'

import { checkSchema } from './schema.ts'
import { rebaseWith, type Timestamps } from './timestamps.ts'

/** Options of the service's WebSockets. @public */
export interface SpeechSocketOptions<Schema extends StandardSchema = never> extends SocketOptions {
  /** Types the events whose payloads the documentation doesn't show. Events that it rejects arrive as `other`. */
  readonly schema?: Schema
  /** Shifts the timestamps of later connections, so that they count from the start of the first one. */
  readonly timestamps?: Timestamps
  /** How much of the client's connection limit this connection uses. Default: what the client's `weigh` returns. */
  readonly weight?: number
}

/** Facts about the audio that transcription needs to know. @public */
export interface AudioHint {
  /**
   * Whether the audio is in a container (mp3, wav, ogg). If so, `encoding` (and, for `converse`, `language`) is rejected
   * before a connection is opened. `reconnect` is rejected too, because a new connection would start in the middle of the
   * file, without its header. Default: unknown, so nothing is checked.
   */
  readonly containerized?: boolean
}

/** The names of {@link AudioHint}. */
export const AUDIO_HINT: OptionNames<AudioHint> = { containerized: true }

const NAMES: OptionNames<SpeechSocketOptions> = { ...SOCKET_OPTIONS, schema: true, timestamps: true }

/**
 * Turns socket options into the runtime's options.
 *
 * @param ownNames The names of the flow's own options.
 * @throws OptionsError if an option is unknown or invalid.
 */
export function toConnectOptions(
  options: SpeechSocketOptions<StandardSchema>,
  ownNames: Readonly<Record<string, true>> = {},
): SocketOptions & Pick<ConnectOptions<ChannelDescriptor>, 'rebase'> {
  checkOptionNames(options, { ...NAMES, ...ownNames }, 'options')
  const { schema, timestamps, weight } = options
  checkSchema(schema)
  if (weight !== undefined) checkWeight(weight)
  const shared = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(SOCKET_OPTIONS, name) && value !== undefined,
  )
  const rebase = timestamps === undefined ? undefined : { rebase: rebaseWith(timestamps) }
  return { ...(Object.fromEntries(shared) as SocketOptions), ...rebase }
}

/** Checks a weight, because nothing else would check it on a client without a limit. */
function checkWeight(weight: unknown): void {
  if (Number.isFinite(weight) && Number(weight) > 0) return
  throw new OptionsError('weight', 'must be a number above 0.', 'Pass one, or omit it.')
}

/** Rejects query parameters, if there are any. @throws RequestInvalidError */
export function rejectQuery(operation: string, names: readonly string[], reason: string, remedy = ''): void {
  if (names.length === 0) return
  const issues = names.map((name) => ({ path: `/query/${name}`, reason }))
  throw new RequestInvalidError(
    `${operation}: ${issues.map(({ path }) => `${path}: ${reason}`).join('; ')}. Nothing was opened.${remedy && ` ${remedy}`}`,
    issues,
    { operation },
  )
}

/** Rejects options that can't be combined with audio in a container. @throws RequestInvalidError, OptionsError */
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
      'cannot be used for audio in a container: a new connection would start in the middle of the file, without its header.',
      'Omit it and send the file again after a loss, or send raw audio with its `encoding`.',
    )
  const names = forbidden.filter((name) => query[name] !== undefined)
  const remedy =
    'Omit it: mp3, wav and ogg describe their own audio. For raw audio, omit `containerized` instead.'
  rejectQuery(channel, names, "can't be combined with audio in a container", remedy)
}

/** Options that the documentation says are unavailable on `/v2/listen`. */
const UNAVAILABLE = ['smart_format', 'diarize', 'punctuate']

/** Rejects unavailable options of `converse`, also in `extra`. @throws RequestInvalidError */
export function checkAvailable(query: Readonly<Record<string, unknown>>): void {
  const names = UNAVAILABLE.filter((name) => query[name] !== undefined)
  rejectQuery('conversation', names, "isn't available in `converse`; use `listen`, or omit it")
}

/** @throws OptionsError for anything but an object; the names are checked with the query. */
export function checkObject(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new OptionsError('options', 'The options must be an object.', 'Pass an object.')
}
