import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PlacedMutant {
  readonly id: string
  /** Relative to the root of the repository. */
  readonly file: string
  readonly line: number
  readonly column: number
  readonly mutator: string
  /** The trimmed line of the source. */
  readonly source: string
  /** The replaced code. It distinguishes mutants that have the same replacement in the same line. */
  readonly original: string
  readonly replacement: string
}

/** The run of a test without an active mutant: how long it took, and how often it reached each mutant. */
export interface TestCoverage {
  readonly name: string
  readonly file: string
  readonly durationMs: number
  /** How often the source checked which mutant is active. */
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

/** The environment variable with the path of the work folder, for the test process. */
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
 * A line of the journal. `start` is written before a test runs with a mutant, so that the mutant is known if the
 * process hangs or crashes; the other kinds are results. `suspect` is a failure whose cause is uncertain: for
 * example, a control run without the mutant failed too. Such a failure counts only if it happens again in a new
 * process. `unreached`: the coverage round reached the mutant, but this run didn't, because the mutated code runs
 * only once in a process.
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
 * Returns the plan's mutants that this test must still be run against. Suspects come first: if a test
 * fails in its first run in a process, no earlier run of the test can be the cause.
 */
export function openMutants(plan: Plan, progress: Progress, test: string): readonly string[] {
  const covered = plan.tests[test]
  if (covered === undefined || covered.durationMs > plan.slowestTestMs) return []
  const open = plan.mutants.filter((id) => id in covered.hits && progress.isOpen(id, test))
  return open.toSorted((a, b) => Number(progress.isSuspect(b, test)) - Number(progress.isSuspect(a, test)))
}
