import type { AgentRule } from './agent.ts'
import type { GrantRule } from './client.ts'
import type { SynthesisRule, SynthesizerOptions } from './synthesis.ts'
import type { Timestamps } from './timestamps.ts'

/** A set of rules for behavior that the documentation doesn't specify. @public */
export interface SpeechPreset {
  /** Which event acknowledges the settings of an agent. */
  readonly agent: AgentRule
  /** Which event says that a piece of text has been completely spoken. */
  readonly synthesis: SynthesisRule & Pick<SynthesizerOptions, 'spoken'>
  /** Where a grant contains the JWT. */
  readonly grant: GrantRule
  /** Returns the body of a `speak` request. */
  readonly speakRequest: (text: string) => unknown
  /** Returns the body of an `analyzeText` request. */
  readonly analysisRequest: (text: string) => unknown
  /** Where the events of live and conversational transcription contain timestamps. */
  readonly timestamps: Timestamps
}

/**
 * Named sets of rules for behavior that the documentation doesn't specify. The client uses no preset by default. Pass
 * the rules that a method needs, such as `...presets.emulator.agent`.
 *
 * - `emulator`: what this project's emulator does. The real service may differ.
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
  return (value as Readonly<Record<string, unknown>> | null | undefined)?.[name]
}
