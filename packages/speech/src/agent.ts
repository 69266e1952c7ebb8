import { OptionsError, SocketError, type StandardSchema } from '@concord/runtime'
import type { OptionNames } from '@concord/runtime/internal'

import { SettingsDeniedError } from './socket-errors.ts'
import type { AgentEvent } from './events.ts'
import { agent } from './gen/channels.gen.ts'
import type { AnyReceived, ChannelOpener, OpenChannel } from './open-channel.ts'
import type { Typed } from './schema.ts'
import { rejectQuery, toConnectOptions } from './live-options.ts'
import type { SpeechSocketOptions } from './socket-options.ts'
import { AudioSocket } from './audio-socket.ts'

/** Facts that an agent needs, but that the service's documentation omits. @public */
export interface AgentRule {
  /**
   * Returns true for the event that acknowledges the settings. The documentation doesn't name this event, so there is
   * no default. For the emulator, use `presets.emulator.agent`. On each connection, the client sends the settings
   * first. It holds back all other messages until this event arrives, because the service would silently ignore them.
   */
  readonly acknowledged: (event: unknown) => boolean
  /**
   * Returns true for an event that denies the settings. The agent then ends with a {@link SettingsDeniedError}. The
   * documentation doesn't name such an event. Default: a function that returns false.
   */
  readonly denied?: (event: unknown) => boolean
  /**
   * How many milliseconds to wait for the acknowledgement. If it doesn't arrive in time, the agent ends with a
   * TimeoutError. Default: 10,000.
   */
  readonly acknowledgeTimeoutMs?: number
}

const RULE_NAMES: OptionNames<AgentRule> = { acknowledged: true, denied: true, acknowledgeTimeoutMs: true }

/** An open voice agent. Its settings have been sent. @public */
export class VoiceAgent<Event = unknown> extends AudioSocket<AgentEvent<Event>> {
  /** Resolves when the settings are acknowledged. Rejects if they are denied, or the connection ends before that. */
  readonly ready: Promise<void>
  readonly #connection: OpenChannel

  constructor(connection: OpenChannel, schema: StandardSchema | undefined, ready: Promise<void>) {
    super(connection, schema)
    this.ready = ready
    this.#connection = connection
  }

  /**
   * Sends new settings. After a reconnect, the client sends the earlier settings again, and then the new ones. It
   * omits the earlier settings if the new ones contain all of their fields. The documentation doesn't say how the
   * service treats settings after the first ones.
   *
   * To repeat any other message on new connections, use `sendJson(message, { replay: true })`.
   *
   * @throws the errors of `sendJson`.
   */
  update(settings: object): Promise<void> {
    return this.#connection.send('settings', settings)
  }
}

export async function openAgent<Schema extends StandardSchema>(
  sockets: ChannelOpener,
  settings: object,
  options: SpeechSocketOptions<Schema> & AgentRule,
): Promise<VoiceAgent<Typed<Schema>>> {
  checkAgentRule(options)
  checkNoQuery(options)
  const { acknowledged, denied, acknowledgeTimeoutMs } = options
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined)
  const connection = await sockets.open(agent, undefined, {
    ...toConnectOptions(options, RULE_NAMES),
    ...(acknowledgeTimeoutMs === undefined ? undefined : { acknowledgeTimeoutMs }),
    acknowledged: (received: AnyReceived) => {
      const isAcknowledged = isEvent(received) && acknowledged(received.data)
      if (isAcknowledged) ready.resolve()
      return isAcknowledged
    },
    finalError: (cause) =>
      !(cause instanceof SocketError) && isEvent(cause as AnyReceived) && denied?.(cause.data) === true
        ? new SettingsDeniedError(cause.data)
        : undefined,
  })
  void connection.closed.then(({ error }) => ready.reject(error ?? neverReady()))
  try {
    await connection.send('settings', settings)
  } catch (error) {
    // If the connection stayed open, it would count toward the service's connection limit.
    await connection.close()
    throw error
  }
  return new VoiceAgent(connection, options.schema, ready.promise)
}

function isEvent({ message }: AnyReceived): boolean {
  return message !== 'audio'
}

function checkAgentRule(rule: AgentRule): void {
  if (typeof rule?.acknowledged === 'function') return
  throw new OptionsError(
    'acknowledged',
    "`acknowledged` is required, because the service's documentation doesn't say which event acknowledges the settings.",
    'Pass a function that recognizes this event; for the emulator, use presets.emulator.agent.',
  )
}

/** According to the documentation, the agent has no query parameters. */
function checkNoQuery({ extra }: SpeechSocketOptions<StandardSchema>): void {
  const reason =
    "can't be sent, because the agent has no query parameters; configure the agent in its settings"
  rejectQuery('agent', Object.keys(extra?.query ?? {}), reason)
}

function neverReady(): OptionsError {
  return new OptionsError(
    'acknowledged',
    'The connection was closed before `acknowledged` returned true for any event.',
    'Check which events arrived, and which of them acknowledges the settings.',
  )
}
