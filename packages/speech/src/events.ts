import type { Gap, Issue, StandardSchema } from '@concord/runtime'
import type { ConfigureFailure, ConfigureSuccess } from '@concord/speech-validators'

import type { AnyReceived } from './open-channel.ts'
import { judge } from './schema.ts'

/**
 * An event of the service that the contract has no name for, which is nearly every one. With a schema of the caller's,
 * only what the schema takes comes as this, and has its type.
 *
 * @public
 */
export interface ServerEvent<Event = unknown> {
  readonly type: 'event'
  readonly data: Event
}

/** What came besides: JSON that the caller's schema does not take, a text that is no JSON, unexpected bytes. @public */
export interface OtherEvent {
  readonly type: 'other'
  readonly data: unknown
  /** What the caller's schema has against it. */
  readonly issues?: readonly Issue[]
}

/** A piece of audio. @public */
export interface AudioEvent {
  readonly type: 'audio'
  readonly data: Uint8Array
}

/**
 * The connection was lost here and made again. What was said meanwhile is lost; time stamps start again, unless they
 * are re-based.
 *
 * @public
 */
export interface ReconnectedEvent {
  readonly type: 'reconnected'
  readonly data: Gap
}

/** A `ConfigureSuccess` that no call of `configure` waits for: after a reconnect, for what was sent again. @public */
export interface ConfiguredEvent {
  readonly type: 'configured'
  readonly data: ConfigureSuccess
}

/** A `ConfigureFailure` that no call of `configure` waits for. @public */
export interface ConfigureRefusedEvent {
  readonly type: 'configure-refused'
  readonly data: ConfigureFailure
}

/** What live transcription gives. @public */
export type TranscriptionEvent<Event = unknown> = ServerEvent<Event> | OtherEvent | ReconnectedEvent

/** What conversational transcription gives. @public */
export type ConversationEvent<Event = unknown> =
  | TranscriptionEvent<Event>
  | ConfiguredEvent
  | ConfigureRefusedEvent

/** What the voice agent gives. @public */
export type AgentEvent<Event = unknown> = TranscriptionEvent<Event> | AudioEvent

/** Any event of any channel. */
export type AnyEvent = ConversationEvent | AgentEvent

const NAMED: Readonly<Record<string, AnyEvent['type']>> = {
  audio: 'audio',
  configureSuccess: 'configured',
  configureFailure: 'configure-refused',
}

/** Turns what the runtime gives into an event; the caller's schema looks at those without a name. */
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
