import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PlacedMutant {
  readonly id: string
  /** Relative to the root of the repository. */
  readonly file: string
  readonly line: number
  readonly column: number
  readonly mutator: string
  /** The line of code at which the mutant starts, trimmed. */
  readonly source: string
  /** The replaced code. It distinguishes mutants that have the same replacement in the same line. */
  readonly original: string
  readonly replacement: string
}

/** How long a test takes without an active mutant, and how often it reaches each mutant. */
export interface TestCoverage {
  readonly name: string
  readonly file: string
  readonly durationMs: number
  /** See `MutantSwitch.steps`. */
  readonly steps: number
  readonly hits: Readonly<Record<string, number>>
}

/**
 * The instructions for one round of test runs. In the mode `coverage`, a round activates no mutants, and records
 * which mutants each test reaches.
 */
export interface Plan {
  readonly mode: 'coverage' | 'mutants'
  readonly mutants: readonly string[]
  /** This round omits tests that take longer than this. They run in a later round, when fewer mutants are left. */
  readonly slowestTestMs: number
  readonly tests: Readonly<Record<string, TestCoverage>>
}

/** The files that the main process and the test process exchange. */
export interface WorkFolder {
  readonly plan: string
  readonly sources: string
  readonly coverage: string
  readonly journal: string
  /** The mutants that are reached while modules load. */
  readonly atLoad: string
}

/** The environment variable that passes the path of the work folder to the test process. */
export const WORK_FOLDER = 'CONCORD_MUTANTS'

export function workFolder(folder: string): WorkFolder {
  return {
    plan: join(folder, 'plan.json'),
    sources: join(folder, 'sources.json'),
    coverage: join(folder, 'coverage.jsonl'),
    journal: join(folder, 'journal.jsonl'),
    atLoad: join(folder, 'at-load.jsonl'),
  }
}

/**
 * A line of the journal. The kind `start` shows which mutant was active if the process hangs or crashes. The other
 * kinds are results of runs:
 *
 * - `suspect`: the test failed, but the mutant may not be the cause. For example, the test also failed without the
 *   mutant. The failure counts only if it happens again in a new process.
 * - `unreached`: the run didn't reach the mutant, although the coverage round did. Some code runs only once in a
 *   process.
 */
export interface Entry {
  readonly kind: 'start' | 'survived' | 'unreached' | 'killed' | 'suspect'
  readonly test: string
  readonly mutant: string
  readonly pid?: number
}

export function append(file: string, entry: unknown): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`)
}

export function readLines<Line>(file: string): readonly Line[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

/** The results of all test runs so far, from the journal. */
export class Progress {
  readonly killed = new Map<string, Entry>()
  readonly suspects = new Set<string>()
  readonly survived = new Set<string>()
  readonly #done = new Set<string>()

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  add(entry: Entry): void {
    const { kind, test, mutant } = entry
    if (kind === 'killed') this.killed.set(mutant, entry)
    if (kind === 'survived') this.survived.add(mutant)
    if (kind === 'survived' || kind === 'unreached') this.#done.add(`${mutant} ${test}`)
    if (kind === 'suspect') this.suspects.add(`${mutant} ${test}`)
  }

  isOpen(mutant: string, test: string): boolean {
    return !this.killed.has(mutant) && !this.#done.has(`${mutant} ${test}`)
  }

  isSuspect(mutant: string, test: string): boolean {
    return this.suspects.has(`${mutant} ${test}`)
  }
}

/**
 * Returns the mutants with which this test must still run. Suspects come first: if the test fails in its first run in
 * a process, no earlier run of the test can be the cause.
 */
export function openMutants(plan: Plan, progress: Progress, test: string): readonly string[] {
  const covered = plan.tests[test]
  if (covered === undefined || covered.durationMs > plan.slowestTestMs) return []
  const open = plan.mutants.filter((id) => id in covered.hits && progress.isOpen(id, test))
  return open.toSorted((a, b) => Number(progress.isSuspect(b, test)) - Number(progress.isSuspect(a, test)))
}
