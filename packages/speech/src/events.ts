import type { Gap, Issue, StandardSchema } from '@concord/runtime'
import type { ConfigureFailure, ConfigureSuccess } from '@concord/speech-validators'

import type { AnyReceived } from './open-channel.ts'
import { judge } from './schema.ts'

/**
 * A JSON message that the contract doesn't name. The contract names only a few messages. If you pass a schema, only
 * messages that the schema accepts arrive as this type, and `data` is the schema's output.
 *
 * @public
 */
export interface ServerEvent<Event = unknown> {
  readonly type: 'event'
  readonly data: Event
}

/**
 * A message that fits no other type: JSON that your schema rejects, a string that isn't JSON, or unexpected bytes.
 *
 * @public
 */
export interface OtherEvent {
  readonly type: 'other'
  readonly data: unknown
  /** The reasons why your schema rejected the message. */
  readonly issues?: readonly Issue[]
}

/** A piece of audio. @public */
export interface AudioEvent {
  readonly type: 'audio'
  readonly data: Uint8Array
}

/**
 * The connection was lost at this point and replaced by a new one. Audio from the gap is lost, except for the part
 * that the client resends (see `reconnect.resendBytes`). Timestamps start over at zero, unless you pass `timestamps`.
 *
 * @public
 */
export interface ReconnectedEvent {
  readonly type: 'reconnected'
  readonly data: Gap
}

/**
 * A `ConfigureSuccess` that no call of `configure` is waiting for, such as the reply to a resent configuration.
 *
 * @public
 */
export interface ConfiguredEvent {
  readonly type: 'configured'
  readonly data: ConfigureSuccess
}

/** A `ConfigureFailure` that no call of `configure` is waiting for. @public */
export interface ConfigureDeniedEvent {
  readonly type: 'configure-denied'
  readonly data: ConfigureFailure
}

/** An event of live transcription. @public */
export type TranscriptionEvent<Event = unknown> = ServerEvent<Event> | OtherEvent | ReconnectedEvent

/** An event of conversational transcription. @public */
export type ConversationEvent<Event = unknown> =
  | TranscriptionEvent<Event>
  | ConfiguredEvent
  | ConfigureDeniedEvent

/** An event of a voice agent. @public */
export type AgentEvent<Event = unknown> = TranscriptionEvent<Event> | AudioEvent

export type AnyEvent = ConversationEvent | AgentEvent

const NAMED: Readonly<Record<string, AnyEvent['type']>> = {
  audio: 'audio',
  configureSuccess: 'configured',
  configureFailure: 'configure-denied',
}

export function toEvent(
  received: AnyReceived,
  schema: StandardSchema | undefined,
): AnyEvent | Promise<AnyEvent> {
  const { data } = received
  if (received.type === 'reconnected') return { type: 'reconnected', data: received.data }
  if (received.type === 'unknown') return { type: 'other', data }
  const type = NAMED[received.message]
  if (type !== undefined) return { type, data } as AnyEvent
  if (schema === undefined) return { type: 'event', data }
  const judged = judge(schema, data)
  return judged instanceof Promise ? judged.then((settled) => settle(settled, data)) : settle(judged, data)
}

function settle(judged: Awaited<ReturnType<typeof judge>>, data: unknown): AnyEvent {
  if (judged.issues === undefined) return { type: 'event', data: judged.value }
  return { type: 'other', data, issues: judged.issues }
}
