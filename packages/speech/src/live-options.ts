import {
  type ChannelDescriptor,
  type ConnectOptions,
  OptionsError,
  RequestInvalidError,
  type StandardSchema,
} from '@concord/runtime'
import type { OptionNames, SocketOptions } from '@concord/runtime/internal'

import { type AudioHint, type SpeechSocketOptions, toSocketOptions } from './socket-options.ts'
import { rebaseWith } from './timestamps.ts'

export const AUDIO_HINT: OptionNames<AudioHint> = { containerized: true }

/** @throws OptionsError if an option is unknown or invalid. */
export function toConnectOptions(
  options: SpeechSocketOptions<StandardSchema>,
  ownNames?: Readonly<Record<string, true>>,
): SocketOptions & Pick<ConnectOptions<ChannelDescriptor>, 'rebase'> {
  const shared = toSocketOptions(options, ownNames)
  const { timestamps } = options
  return timestamps === undefined ? shared : { ...shared, rebase: rebaseWith(timestamps) }
}

/** Rejects the query parameters in `names`. @throws RequestInvalidError, unless `names` is empty. */
export function rejectQuery(operation: string, names: readonly string[], reason: string, remedy = ''): void {
  if (names.length === 0) return
  const issues = names.map((name) => ({ path: `/query/${name}`, reason }))
  throw new RequestInvalidError(
    `${operation}: ${issues.map(({ path }) => `${path} ${reason}`).join('; ')}. No connection was opened.${remedy && ` ${remedy}`}`,
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
      'Omit `reconnect`, and send the file again if the connection is lost. Or send raw audio with its `encoding`.',
    )
  const names = forbidden.filter((name) => query[name] !== undefined)
  const remedy =
    `Omit \`${names.join('` and `')}\` for mp3, wav and ogg files. ` +
    'For raw audio, omit `containerized` instead.'
  rejectQuery(channel, names, "can't be combined with audio in a container", remedy)
}

/** According to the documentation, `/v2/listen` doesn't have these options. */
const UNAVAILABLE = ['smart_format', 'diarize', 'punctuate']

/** Rejects options that `converse` doesn't support, even if they are in `extra`. @throws RequestInvalidError */
export function checkAvailable(query: Readonly<Record<string, unknown>>): void {
  const names = UNAVAILABLE.filter((name) => query[name] !== undefined)
  rejectQuery('conversation', names, "isn't available in `converse`; omit it, or use `listen`")
}
