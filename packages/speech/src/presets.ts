import type { AgentRule } from './agent.ts'
import type { GrantRule } from './grants.ts'
import type { SynthesisRule } from './synthesis.ts'

/** What a service does where the documentation shows nothing, for the flows that have to know it. @public */
export interface SpeechPreset {
  readonly agent: AgentRule
  readonly synthesis: SynthesisRule
  readonly grant: GrantRule
}

/**
 * Named answers to what the documentation leaves open. None of them is a default: a flow that needs one takes it by its
 * name, `...presets.emulator.agent`.
 *
 * - `emulator`: what the emulator of this project chose. The real service may do otherwise.
 *
 * @public
 */
export const presets: { readonly emulator: SpeechPreset } = {
  emulator: {
    agent: { acknowledged: (event) => typeOf(event) === 'EmulatorSettingsAcknowledged' },
    synthesis: { spoken: (event) => typeOf(event) === 'EmulatorSpoken' },
    grant: { token: (grant) => (grant as { readonly token?: unknown } | null)?.token },
  },
}

function typeOf(event: unknown): unknown {
  return (event as { readonly type?: unknown } | null)?.type
}
