import { OptionsError, RequestInvalidError, type StandardSchema, TimeoutError } from '@concord/runtime'
import { checkOptionNames, type OptionNames, type SocketRequestOptions } from '@concord/runtime/internal'
import type { Configure, ConfigureFailure, ConfigureSuccess } from '@concord/speech-validators'

import { ConfigureDeniedError } from './socket-errors.ts'
import type { ConversationEvent } from './events.ts'
import { conversation } from './gen/channels.gen.ts'
import type { OpenChannel } from './open-channel.ts'
import { checkSchema, conform, type Typed } from './schema.ts'
import { AudioSocket } from './audio-socket.ts'

/**
 * The changes that {@link Conversation.configure} makes. The client sends only the fields that you pass, because an
 * omitted threshold keeps its value.
 *
 * @see `specs/speech/asyncapi.yaml#/components/schemas/Configure`
 * @public
 */
export interface ConversationConfiguration {
  readonly thresholds?: ConversationThresholds
  /** Thresholds that the documentation doesn't name. Numbers become strings; strings are sent as they are. */
  readonly extraThresholds?: Readonly<Record<string, number | string>>
  /** Key terms. The documentation doesn't say what happens to earlier key terms if this field is omitted or empty. */
  readonly keyterms?: readonly string[]
}

/**
 * Thresholds of turn detection, as numbers. The client sends them as strings. Their ranges are not documented.
 *
 * @public
 */
export interface ConversationThresholds {
  readonly eot_threshold?: number
  /** In milliseconds. */
  readonly eot_timeout_ms?: number
}

/** The applied values, as the service echoes them. Their names and forms are not documented. @public */
export type AppliedConfiguration = ConfigureSuccess & Readonly<Record<string, unknown>>

/** Options of {@link Conversation.configure}. @public */
export interface ConfigureOptions<Schema extends StandardSchema = never> extends SocketRequestOptions {
  /** Validates the values that the service echoes, and determines the type of the result. */
  readonly schema?: Schema
}

/** A connection for conversational transcription. @public */
export class Conversation<Event = unknown> extends AudioSocket<ConversationEvent<Event>> {
  readonly #connection: OpenChannel

  constructor(connection: OpenChannel, schema: StandardSchema | undefined) {
    super(connection, schema)
    this.#connection = connection
  }

  /**
   * Changes thresholds and key terms, and returns the values that the service confirms. Only one change is in
   * progress at a time; further changes wait. After a reconnect, the client sends confirmed changes again.
   *
   * The reply to a change arrives even if you don't read events. But if too many events are unread, the client stops
   * reading from the network, and the reply can't arrive.
   *
   * @throws ConfigureDeniedError if the service denies the change; RequestInvalidError before anything is sent;
   * TimeoutError if no reply arrives; SocketError if the connection has ended.
   * @throws ContractDriftError if the change took effect, but `schema` rejects the reply.
   */
  async configure<Schema extends StandardSchema = never>(
    configuration: ConversationConfiguration,
    { schema, ...options }: ConfigureOptions<Schema> = {},
  ): Promise<[Schema] extends [never] ? AppliedConfiguration : Typed<Schema>> {
    checkSchema(schema)
    const request = this.#connection.request('configure', toConfigure(configuration), options)
    const { message, data } = await request.catch(withHint)
    if (message === 'configureFailure') throw new ConfigureDeniedError(data as ConfigureFailure)
    return (await conform(schema, data, 'configure', CONFIRMED)) as never
  }
}

const CONFIRMED = 'the change took effect, but its confirmation'

function withHint(error: unknown): never {
  if (!TimeoutError.is(error)) throw error
  throw new TimeoutError(
    `${error.message} If the service did reply, the client didn't recognize the reply and yielded it as an event. ` +
      'In that case, pass or correct `replies`.',
    error,
    { operation: error.operation, cause: error.cause },
  )
}

function toConfigure(configuration: ConversationConfiguration): Configure {
  checkForm(configuration)
  const { thresholds, extraThresholds, keyterms } = configuration
  const given = Object.entries({ ...extraThresholds, ...thresholds }).filter(
    ([, value]) => value !== undefined,
  )
  const strings = given.map(([name, value]) => [name, toThreshold(name, value)] as const)
  return {
    type: 'Configure',
    // An empty object is omitted, because the service could take it as a request to reset all thresholds.
    ...(strings.length === 0 ? undefined : { thresholds: Object.fromEntries(strings) }),
    ...(keyterms === undefined ? undefined : { keyterms: [...keyterms] }),
  }
}

const FIELDS: OptionNames<ConversationConfiguration> = {
  thresholds: true,
  extraThresholds: true,
  keyterms: true,
}
const THRESHOLDS: OptionNames<ConversationThresholds> = { eot_threshold: true, eot_timeout_ms: true }

/**
 * Without this check, the client would drop misspelled fields. It would also send each character as a key term if
 * `keyterms` were a string instead of an array.
 */
function checkForm(configuration: ConversationConfiguration): void {
  if (!isRecord(configuration)) throw invalid('', 'the configuration must be an object')
  for (const name of Object.keys(configuration))
    if (!Object.hasOwn(FIELDS, name))
      throw invalid(
        `/${name}`,
        'is unknown; the valid fields are `thresholds`, `extraThresholds` and `keyterms`',
      )
  const { thresholds, extraThresholds, keyterms } = configuration
  if (thresholds !== undefined && !isRecord(thresholds)) throw invalid('/thresholds', 'must be an object')
  if (extraThresholds !== undefined && !isRecord(extraThresholds))
    throw invalid('/extraThresholds', 'must be an object')
  for (const name of Object.keys(thresholds ?? {}))
    if (!Object.hasOwn(THRESHOLDS, name))
      throw invalid(
        `/thresholds/${name}`,
        "isn't a documented threshold; to send it anyway, pass it in `extraThresholds`",
      )
  if (keyterms !== undefined && !Array.isArray(keyterms))
    throw invalid('/keyterms', 'must be an array of strings')
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Converts a threshold to a string. A later check compares documented thresholds with the contract's pattern. */
function toThreshold(name: string, value: unknown): string {
  if (typeof value === 'string' && (!Object.hasOwn(THRESHOLDS, name) || Number.isFinite(Number(value))))
    return value
  if (Number.isFinite(value)) return String(value)
  throw invalid(`/thresholds/${name}`, 'must be a finite number, such as 0.8')
}

function invalid(path: string, reason: string): RequestInvalidError {
  const where = path === '' ? '' : `${path} `
  return new RequestInvalidError(`configure: ${where}${reason}. Nothing was sent.`, [{ path, reason }], {
    operation: 'conversation',
  })
}

/** Recognizes a message by the value at a JSON Pointer. @public */
export interface ReplyTag {
  readonly pointer: string
  readonly equals: string | number | boolean
}

/**
 * How to recognize the two replies to `Configure`. By default, the client recognizes them by the field `type`.
 * The documentation doesn't show the replies, but they probably have this field, as KeepAlive and Configure do.
 *
 * @see `specs/speech/asyncapi.yaml#/components/schemas/ConfigureSuccess`
 * @public
 */
export interface ConfigureReplies {
  readonly success: ReplyTag
  readonly failure: ReplyTag
}

const REPLY_NAMES: OptionNames<ConfigureReplies> = { success: true, failure: true }
const TAG_NAMES: OptionNames<ReplyTag> = { pointer: true, equals: true }

/** Returns the channel, with the caller's rules for recognizing the replies. @throws OptionsError */
export function withReplies(replies: ConfigureReplies | undefined): typeof conversation {
  if (replies === undefined) return conversation
  checkOptionNames(replies, REPLY_NAMES, 'replies')
  const { success, failure } = replies
  const { receives } = conversation
  return {
    ...conversation,
    // These replies aren't validated, because the contract's checks only fit replies with the field `type`.
    receives: {
      configureSuccess: { kind: 'json', tags: [toTag(success, 'replies.success')] },
      configureFailure: { kind: 'json', tags: [toTag(failure, 'replies.failure')] },
      ...Object.fromEntries(Object.entries(receives).filter(([key]) => !key.startsWith('configure'))),
    },
  }
}

function toTag(tag: ReplyTag, option: string): ReplyTag {
  checkOptionNames(tag, TAG_NAMES, option)
  if (typeof tag.pointer === 'string' && tag.pointer.startsWith('/') && tag.equals !== undefined) return tag
  throw new OptionsError(
    option,
    'must have `pointer` (a JSON Pointer) and `equals` (the value expected at that pointer).',
    "Pass, for example, { pointer: '/event', equals: 'done' }.",
  )
}
