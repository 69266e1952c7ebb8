import type { Background } from '../core/background.ts'
import type { ControlledClock } from '../core/clock.ts'
import type { RandomSource } from '../core/random.ts'
import type { Log } from '../core/records.ts'
import type { ExtractionChoices } from './choices.ts'

/** The tools that all parts of the service share. */
export interface ExtractionTools {
  readonly clock: ControlledClock
  readonly random: RandomSource
  readonly log: Log
  readonly choices: ExtractionChoices
  readonly background: Background
}
