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

/** How a WebSocket of the service is opened and treated. @public */
export interface SpeechSocketOptions<Schema extends StandardSchema = never> extends SocketOptions {
  /** Types the events whose payloads the documentation doesn't show. Events that it rejects arrive as `other`. */
  readonly schema?: Schema
  /** Moves the time stamps of later connections on, so that they count from the beginning of the first. */
  readonly timestamps?: Timestamps
  /** How much of the client's connection limit this connection takes. Default: what the client's `weigh` returns. */
  readonly weight?: number
}

/** Facts about the audio that transcription needs. @public */
export interface AudioHint {
  /**
   * Whether the audio is in a container (mp3, wav, ogg). Then `encoding`, and for `converse` also `language`, are rejected
   * before anything is opened. `reconnect` is rejected, too, because a new connection would begin in the middle of the file, without
   * its header. Default: unknown, and not checked.
   */
  readonly containerized?: boolean
}

/** The names of {@link AudioHint}. */
export const AUDIO_HINT: OptionNames<AudioHint> = { containerized: true }

const NAMES: OptionNames<SpeechSocketOptions> = { ...SOCKET_OPTIONS, schema: true, timestamps: true }

/**
 * The runtime's options for these.
 *
 * @param ownNames The names of further options of the flow.
 * @throws OptionsError when one is unknown or cannot be used.
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

/** Checked here, because without a limit nothing else would check it. */
function checkWeight(weight: unknown): void {
  if (Number.isFinite(weight) && Number(weight) > 0) return
  throw new OptionsError('weight', 'must be a number above 0.', 'Pass one, or omit it.')
}

/** Rejects query parameters, if there are any. @throws RequestInvalidError */
export function rejectQuery(operation: string, names: readonly string[], reason: string): void {
  if (names.length === 0) return
  const issues = names.map((name) => ({ path: `/query/${name}`, reason }))
  throw new RequestInvalidError(
    `${operation}: ${issues.map(({ path }) => `${path}: ${reason}`).join('; ')}. Nothing was opened.`,
    issues,
    { operation },
  )
}

/** Rejects what doesn't go with audio in a container. @throws RequestInvalidError, OptionsError */
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
      'Omit it and send the file again after a loss, or send raw audio with its `encoding`.',
    )
  const names = forbidden.filter((name) => query[name] !== undefined)
  rejectQuery(channel, names, "can't be combined with audio in a container")
}

/** Documented as unavailable on `/v2/listen`; the contract rejects them there. */
const UNAVAILABLE = ['smart_format', 'diarize', 'punctuate']

/** They are documented, so `extra` doesn't pass them through. @throws RequestInvalidError */
export function checkAvailable(channel: string, extra: Readonly<Record<string, unknown>> | undefined): void {
  const names = UNAVAILABLE.filter((name) => extra?.[name] !== undefined)
  rejectQuery(channel, names, 'is unavailable here')
}

/** @throws OptionsError for anything but an object; the names are checked with the query. */
export function checkObject(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new OptionsError('options', 'The options must be an object.', 'Pass an object.')
}
