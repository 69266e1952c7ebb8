import { OptionsError, SocketError, type StandardSchema } from '@concord/runtime'
import type { OptionNames } from '@concord/runtime/internal'

import { SettingsDeniedError } from './errors.ts'
import type { AgentEvent } from './events.ts'
import { agent } from './gen/channels.gen.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'
import type { Typed } from './schema.ts'
import { rejectQuery, type SpeechSocketOptions, toConnectOptions } from './socket-options.ts'
import type { Sockets } from './sockets.ts'
import { AudioSocket } from './speech-socket.ts'

/** Facts about the service that the agent needs. @public */
export interface AgentRule {
  /**
   * Returns true for the event that acknowledges the settings. The documentation names none, so there is no default;
   * `presets` has the emulator's. Everything else is held back until then, on each connection, because the service
   * ignores it without an error.
   */
  readonly acknowledged: (event: unknown) => boolean
  /**
   * Returns true for an event that denies the settings. The agent then ends with a {@link SettingsDeniedError}. The
   * documentation names none. Default: no event does.
   */
  readonly denied?: (event: unknown) => boolean
  /** Milliseconds to wait for the acknowledgement; then the agent ends with a TimeoutError. Default 10,000. */
  readonly acknowledgeTimeoutMs?: number
}

const RULE_NAMES: OptionNames<AgentRule> = { acknowledged: true, denied: true, acknowledgeTimeoutMs: true }

/** An open voice agent, whose settings were sent. @public */
export class VoiceAgent<Event = unknown> extends AudioSocket<AgentEvent<Event>> {
  /** Resolves when the settings were acknowledged; rejects when they are denied or the connection ends before. */
  readonly ready: Promise<void>
  readonly #connection: OpenChannel

  constructor(connection: OpenChannel, schema: StandardSchema | undefined, ready: Promise<void>) {
    super(connection, schema)
    this.ready = ready
    this.#connection = connection
  }

  /**
   * Sends other settings. From then on, a new connection begins with them: settings that set every value of earlier ones
   * replace those, others are sent after them. How the service treats settings on an open connection is not documented.
   * For a message of another form, use `sendJson(message, { replay: true })`.
   *
   * @throws the same as `sendJson`.
   */
  update(settings: object): Promise<void> {
    return this.#connection.send('settings', settings)
  }
}

/** Opens an agent and sends its settings. */
export async function openAgent<Schema extends StandardSchema>(
  sockets: Sockets,
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
    // A connection that stays open counts toward the limit of the service.
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
    "`acknowledged` is missing: the documentation doesn't say which event acknowledges the settings.",
    'Pass a function that recognizes it; for the emulator, use presets.emulator.agent.',
  )
}

/** The documentation says that there is no query, so there is nothing to pass through. */
function checkNoQuery({ extra }: SpeechSocketOptions<StandardSchema>): void {
  const reason = 'the agent takes no query; all of its configuration is in the settings'
  rejectQuery('agent', Object.keys(extra?.query ?? {}), reason)
}

function neverReady(): OptionsError {
  return new OptionsError(
    'acknowledged',
    '`acknowledged` recognized no event before the connection was closed.',
    'Check which events arrived, and which of them acknowledges the settings.',
  )
}
