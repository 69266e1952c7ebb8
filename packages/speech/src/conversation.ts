import { RequestInvalidError, type SocketRequestOptions, type StandardSchema } from '@concord/runtime'
import type { Configure, ConfigureFailure, ConfigureSuccess } from '@concord/speech-validators'

import { ConfigureRefusedError } from './errors.ts'
import type { ConversationEvent } from './events.ts'
import type { OpenChannel } from './open-channel.ts'
import { AudioSocket } from './speech-socket.ts'

/**
 * What {@link Conversation.configure} changes. What is left out keeps its value, so only what is given is sent.
 *
 * @see specs/speech/asyncapi.yaml#/components/schemas/Configure
 * @public
 */
export interface ConversationConfiguration {
  readonly thresholds?: ConversationThresholds
  /** Thresholds that the documentation doesn't name. Numbers become strings; strings are sent as they are. */
  readonly extraThresholds?: Readonly<Record<string, number | string>>
  /** Key terms. What becomes of earlier ones when this is left out or empty is not documented. */
  readonly keyterms?: readonly string[]
}

/** Thresholds of turn detection, as numbers; the wire has them as strings. Their ranges are not documented. @public */
export interface ConversationThresholds {
  readonly eot_threshold?: number
  /** In milliseconds. */
  readonly eot_timeout_ms?: number
}

/** The values that the service applied, as it echoes them. Their names and forms are not documented. @public */
export type AppliedConfiguration = ConfigureSuccess & Readonly<Record<string, unknown>>

/** An open conversational transcription. @public */
export class Conversation<Event = unknown> extends AudioSocket<ConversationEvent<Event>> {
  readonly #connection: OpenChannel

  constructor(connection: OpenChannel, schema: StandardSchema | undefined) {
    super(connection, schema)
    this.#connection = connection
  }

  /**
   * Changes turn detection, and returns what the service confirms: it echoes the applied values. One change is under way
   * at a time; others wait for their turn. After a reconnect, what was confirmed is sent again. Keep reading meanwhile:
   * the reply may be behind events that were not read.
   *
   * @throws ConfigureRefusedError when the service refuses it; RequestInvalidError before anything is sent; TimeoutError
   * without an answer; SocketError when the connection is over.
   */
  async configure(
    configuration: ConversationConfiguration,
    options?: SocketRequestOptions,
  ): Promise<AppliedConfiguration> {
    const answer = await this.#connection.request('configure', toConfigure(configuration), options)
    if (answer.message === 'configureFailure')
      throw new ConfigureRefusedError(answer.data as ConfigureFailure)
    return answer.data as AppliedConfiguration
  }
}

/** The message on the wire: only what was given, thresholds as texts. @throws RequestInvalidError */
export function toConfigure(configuration: ConversationConfiguration): Configure {
  checkForm(configuration)
  const { thresholds, extraThresholds, keyterms } = configuration
  const given = Object.entries({ ...extraThresholds, ...thresholds }).filter(
    ([, value]) => value !== undefined,
  )
  const texts = given.map(([name, value]) => [name, toText(name, value)] as const)
  return {
    type: 'Configure',
    // An empty object could be taken for one that resets them all.
    ...(texts.length === 0 ? undefined : { thresholds: Object.fromEntries(texts) }),
    ...(keyterms === undefined ? undefined : { keyterms: [...keyterms] }),
  }
}

/** What is misspelt or of another kind would be left out, or sent as something else, in silence. */
function checkForm(configuration: ConversationConfiguration): void {
  if (!isRecord(configuration)) throw refused('', 'must be an object')
  for (const name of Object.keys(configuration))
    if (name !== 'thresholds' && name !== 'extraThresholds' && name !== 'keyterms')
      throw refused(`/${name}`, 'is none of thresholds, extraThresholds and keyterms')
  const { thresholds, extraThresholds, keyterms } = configuration
  if (thresholds !== undefined && !isRecord(thresholds)) throw refused('/thresholds', 'must be an object')
  if (extraThresholds !== undefined && !isRecord(extraThresholds))
    throw refused('/extraThresholds', 'must be an object')
  for (const name of Object.keys(thresholds ?? {}))
    if (!DOCUMENTED.includes(name))
      throw refused(
        `/thresholds/${name}`,
        'is not a documented threshold; if it is meant, use extraThresholds',
      )
  if (keyterms !== undefined && !Array.isArray(keyterms))
    throw refused('/keyterms', 'must be a list of strings')
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const DOCUMENTED: readonly string[] = ['eot_threshold', 'eot_timeout_ms']
/** A number as a string, as the contract has it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

function toText(name: string, value: unknown): string {
  if (typeof value === 'string' && (!DOCUMENTED.includes(name) || NUMBER.test(value))) return value
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  throw refused(`/thresholds/${name}`, 'must be a finite number, such as 0.8')
}

function refused(path: string, reason: string): RequestInvalidError {
  const where = path === '' ? '' : `${path}: `
  return new RequestInvalidError(`configure: ${where}${reason}. Nothing was sent.`, [{ path, reason }], {
    operation: 'conversation',
  })
}
