import { OptionsError, type StandardSchema, type OptionNames } from '@concord/runtime'

import type { AgentEvent } from './events.ts'
import { agent } from './gen/channels.gen.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'
import type { Typed } from './schema.ts'
import { refuseQuery, type SpeechSocketOptions, toConnectOptions } from './socket-options.ts'
import type { Sockets } from './sockets.ts'
import { AudioSocket } from './speech-socket.ts'

/**
 * What an agent needs to be told besides its settings.
 *
 * @public
 */
export interface AgentRule {
  /**
   * Says which event of the service acknowledges the settings. The documentation names none, so there is no default;
   * `presets` has that of the emulator. Audio is held back until then, because the service ignores it without an error.
   */
  readonly acknowledged: (event: unknown) => boolean
}

const RULE_NAMES: OptionNames<AgentRule> = { acknowledged: true }

/** An open voice agent, whose settings were sent. @public */
export class VoiceAgent<Event = unknown> extends AudioSocket<AgentEvent<Event>> {
  /** Settles when the settings were acknowledged; rejected when the connection ends before. */
  readonly ready: Promise<void>

  constructor(connection: OpenChannel, schema: StandardSchema | undefined, ready: Promise<void>) {
    super(connection, schema)
    this.ready = ready
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
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined)
  const connection = await sockets.open(agent, undefined, {
    ...toConnectOptions(options, RULE_NAMES),
    acknowledged: (received: AnyReceived) => {
      const acknowledged = received.message !== 'audio' && options.acknowledged(received.data)
      if (acknowledged) ready.resolve()
      return acknowledged
    },
  })
  void connection.closed.then(({ error }) => ready.reject(error ?? neverReady()))
  try {
    await connection.send('settings', settings)
  } catch (error) {
    // One that is left open counts.
    await connection.close()
    throw error
  }
  return new VoiceAgent(connection, options.schema, ready.promise)
}

function checkAgentRule(rule: AgentRule): void {
  if (typeof rule?.acknowledged === 'function') return
  throw new OptionsError(
    'acknowledged',
    'is missing: the documentation does not say which event acknowledges the settings.',
    'Give a function that knows it; for the emulator there is presets.emulator.agent.',
  )
}

/** That there is no query is documented, so there is nothing to pass through. */
function checkNoQuery({ extra }: SpeechSocketOptions<StandardSchema>): void {
  const reason = 'the agent takes no query; all of its configuration is in the settings'
  refuseQuery('agent', Object.keys(extra?.query ?? {}), reason)
}

function neverReady(): OptionsError {
  return new OptionsError(
    'acknowledged',
    'recognised no event before the connection was closed.',
    'See which events came, and which of them acknowledges the settings.',
  )
}
