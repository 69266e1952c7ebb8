import { OptionsError, type StandardSchema } from '@concord/runtime'
import {
  checkOptionNames,
  type OptionNames,
  SOCKET_OPTIONS,
  type SocketOptions,
} from '@concord/runtime/internal'

import { checkSchema } from './schema.ts'
import type { Timestamps } from './timestamps.ts'

/** Options of the service's WebSockets. @public */
export interface SpeechSocketOptions<Schema extends StandardSchema = never> extends SocketOptions {
  /**
   * A schema for events that the contract doesn't name. The schema checks each of these events and defines the type
   * of their data. Events that the schema rejects arrive as `other`.
   */
  readonly schema?: Schema
  /**
   * Where events contain timestamps. After a reconnect, the client shifts the timestamps so that they count from the
   * start of the first connection.
   */
  readonly timestamps?: Timestamps
  /** How much of the client's connection limit this connection uses. Default: what the client's `weigh` returns. */
  readonly weight?: number
}

/** Facts about the audio. @public */
export interface AudioHint {
  /**
   * Whether the audio is in a container (mp3, wav, ogg). If so, the client rejects `encoding` before it opens a
   * connection. For `converse`, it also rejects `language`. The client rejects `reconnect` too, because a new
   * connection would start in the middle of the file, without its header. Default: unknown, so nothing is checked.
   */
  readonly containerized?: boolean
}

const NAMES: OptionNames<SpeechSocketOptions> = { ...SOCKET_OPTIONS, schema: true, timestamps: true }

/**
 * Checks socket options, and returns those that the runtime defines.
 *
 * @param ownNames The names of additional options that this kind of connection accepts.
 * @throws OptionsError if an option is unknown or invalid.
 */
export function toSocketOptions(
  options: SpeechSocketOptions<StandardSchema>,
  ownNames: Readonly<Record<string, true>> = {},
): SocketOptions {
  checkOptionNames(options, { ...NAMES, ...ownNames }, 'options')
  checkSchema(options.schema)
  if (options.weight !== undefined) checkWeight(options.weight)
  const shared = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(SOCKET_OPTIONS, name) && value !== undefined,
  )
  return Object.fromEntries(shared) as SocketOptions
}

/** On a client without a connection limit, nothing else checks the weight. */
function checkWeight(weight: unknown): void {
  if (Number.isFinite(weight) && Number(weight) > 0) return
  throw new OptionsError('weight', 'must be a number above 0.', 'Pass such a number, or omit the option.')
}

/** @throws OptionsError for anything but an object. The runtime checks the options later, as query parameters. */
export function checkObject(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new OptionsError('options', 'The options must be an object.', 'Pass an object.')
}
