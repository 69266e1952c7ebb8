import { OptionsError, type StandardSchema } from '@concord/runtime'

import type { AgentEvent } from './events.ts'
import type { OpenChannel } from './open-channel.ts'
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

/** An open voice agent, whose settings were sent. @public */
export class VoiceAgent<Event = unknown> extends AudioSocket<AgentEvent<Event>> {
  /** Settles when the settings were acknowledged; rejected when the connection ends before. */
  readonly ready: Promise<void>

  constructor(connection: OpenChannel, schema: StandardSchema | undefined, ready: Promise<void>) {
    super(connection, schema)
    this.ready = ready
  }
}

/** @throws OptionsError when there is no way to see the acknowledgement. */
export function checkAgentRule(rule: AgentRule): void {
  if (typeof rule?.acknowledged === 'function') return
  throw new OptionsError(
    'acknowledged',
    'is missing: the documentation does not say which event acknowledges the settings.',
    'Give a function that knows it; for the emulator there is presets.emulator.agent.',
  )
}
