import { EmulatorOptionsError } from '../core/errors.ts'
import type { ChoiceOverrides } from '../core/choices.ts'
import type { SpeechChoices } from './choices.ts'

/** How the speech service is set up. @public */
export interface SpeechOptions {
  /** The API keys that are valid from the start; by default one new key. */
  apiKeys?: readonly string[]
  /**
   * How many connections of a key may be open at once, in shares: a costly one takes more. By default the choice
   * `limits.connections`.
   */
  connectionAllowance?: number
  /** What every path of speech starts with, for instance `/speech`; by default nothing. */
  apiPath?: string
  /** What every path of the agent starts with; by default nothing. */
  agentPath?: string
  /** Replaces choices; see `SpeechChoices`. */
  choices?: ChoiceOverrides<SpeechChoices>
}

/** Checks a number of connections. */
export function toAllowance(allowance: number): number {
  if (allowance > 0) return allowance
  throw new EmulatorOptionsError(`connectionAllowance must be above 0, not ${allowance}.`)
}
