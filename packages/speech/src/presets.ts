import type { AgentRule } from './agent.ts'
import type { GrantRule } from './grants.ts'
import type { SynthesisRule, SynthesizerOptions } from './synthesis.ts'
import type { Timestamps } from './timestamps.ts'

/** What a service does where the documentation shows nothing, for the flows that have to know it. @public */
export interface SpeechPreset {
  /** Which event acknowledges the settings of an agent. */
  readonly agent: AgentRule
  /** Which event tells that a text was spoken to its end. */
  readonly synthesis: SynthesisRule & Pick<SynthesizerOptions, 'spoken'>
  /** Where the JWT stands in a grant. */
  readonly grant: GrantRule
  /** The body of one-shot synthesis. */
  readonly speakRequest: (text: string) => unknown
  /** The body of a text analysis. */
  readonly analysisRequest: (text: string) => unknown
  /** Where time stamps stand in the events of live and conversational transcription. */
  readonly timestamps: Timestamps
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
    agent: { acknowledged: (event) => fieldOf(event, 'type') === 'SettingsAccepted' },
    synthesis: { spoken: (event) => fieldOf(event, 'type') === 'SpeechEnd' },
    grant: { token: (grant) => fieldOf(grant, 'access_token') },
    speakRequest: (text) => ({ text }),
    analysisRequest: (text) => ({ text }),
    timestamps: { at: ['/start', '/end', '/at', '/last_word_end', '/words/*/start', '/words/*/end'] },
  },
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
