import type { Figure } from './report/figure.ts'
import type { Progress } from './report/progress.ts'

/** How much to measure: everything, enough for a first look, or just enough to see that it works. */
export type Extent = 'full' | 'quick' | 'smoke'

/** What a row is given to run with. */
export interface RowContext {
  readonly extent: Extent
  /** Whether servers and subjects get a processor core of their own each (Linux). */
  readonly pin: boolean
  readonly progress: Progress
}

/** One row of the bench: something that is measured side by side. */
export interface Row {
  readonly name: string
  readonly title: string
  /** @throws WrongAnswerError when a subject does not do what it is measured for. */
  run(context: RowContext): Promise<readonly Figure[]>
}

/** The cores that servers and subjects are held to, where that is asked for. */
export const CORES = { server: 1, subject: 0 } as const
