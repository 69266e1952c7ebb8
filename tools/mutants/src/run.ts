import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { instrument } from './instrument.ts'
import {
  append,
  type Entry,
  openMutants,
  type PlacedMutant,
  type Plan,
  Progress,
  readLines,
  type TestCoverage,
  WORK_FOLDER,
  type WorkFolder,
  workFolder,
} from './plan.ts'
import type { Mutant } from './score.ts'

/** The `slowestTestMs` of each round. Slow tests run last, and only with the mutants that fast tests didn't kill. */
const ROUNDS_MS = [100, 1_000, Number.MAX_SAFE_INTEGER]
/** A test process counts as hanging if it doesn't write to the journal for this long. */
const HANG_MS = 60_000

interface Folder {
  readonly root: string
  readonly packageRoot: string
  readonly work: string
  readonly files: WorkFolder
}

/** Files of one package that are mutated together. */
export interface Target {
  readonly root: string
  readonly packageFolder: string
  readonly files: readonly string[]
  readonly isWanted: (mutant: PlacedMutant) => boolean
}

/** Runs the tests of the target's package with each mutant of the target's files. */
export async function mutate(target: Target): Promise<readonly Mutant[]> {
  const { root, packageFolder } = target
  const work = mkdtempSync(join(tmpdir(), 'mutants-'))
  try {
    const files = workFolder(work)
    return await mutateIn({ root, packageRoot: join(root, packageFolder), work, files }, target)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function mutateIn(place: Folder, { root, files, isWanted }: Target): Promise<readonly Mutant[]> {
  const { sources, mutants } = await instrument(root, files)
  const wanted = mutants.filter(isWanted)
  writeFileSync(place.files.sources, JSON.stringify(sources))
  const tests = await cover(place)
  const reached = new Set(Object.values(tests).flatMap(({ hits }) => Object.keys(hits)))
  const ids = wanted.map(({ id }) => id).filter((id) => reached.has(id))
  for (const slowestTestMs of ROUNDS_MS) {
    await runRound(place, { mode: 'mutants', mutants: ids, slowestTestMs, tests })
  }
  const { killed, survived } = new Progress(readLines<Entry>(place.files.journal))
  const atLoad = new Set(readLines<{ ids: string[] }>(place.files.atLoad).flatMap((line) => line.ids))
  // Omits mutants that are reached only while modules load.
  return wanted
    .filter(({ id }) => killed.has(id) || survived.has(id) || !(reached.has(id) || atLoad.has(id)))
    .map((mutant) => {
      const end = killed.get(mutant.id)
      const status = end !== undefined ? 'Killed' : reached.has(mutant.id) ? 'Survived' : 'NoCoverage'
      return { ...mutant, status, ...(end !== undefined && { killedBy: tests[end.test]?.name }) }
    })
}

/** Runs all tests without a mutant. */
async function cover(place: Folder): Promise<Plan['tests']> {
  const plan: Plan = { mode: 'coverage', mutants: [], slowestTestMs: 0, tests: {} }
  writeFileSync(place.files.plan, JSON.stringify(plan))
  await runTests(place, [])
  const records = readLines<TestCoverage & { readonly test: string }>(place.files.coverage)
  return Object.fromEntries(records.map(({ test, ...coverage }) => [test, coverage]))
}

/** Runs tests until every mutant of the round has a result. If a test process hangs or crashes, starts a new one. */
async function runRound(place: Folder, plan: Plan): Promise<void> {
  writeFileSync(place.files.plan, JSON.stringify(plan))
  for (let idleRounds = 0; idleRounds < 3;) {
    const before = readLines<Entry>(place.files.journal)
    const progress = new Progress(before)
    const open = Object.entries(plan.tests).filter(([test]) => openMutants(plan, progress, test).length > 0)
    if (open.length === 0) return
    const killed = plan.mutants.filter((id) => progress.killed.has(id)).length
    console.log(`${killed} of ${plan.mutants.length} mutants killed, ${open.length} tests to run`)
    await runTests(place, [...new Set(open.map(([, { file }]) => file))])
    const after = readLines<Entry>(place.files.journal)
    const last = after.at(-1)
    idleRounds = after.length === before.length ? idleRounds + 1 : 0
    // If the last line is `start`, the process ended while the test ran with the mutant. The mutant counts as killed
    // only if this happens twice, because a process can also end for another reason, such as a lack of memory.
    if (last?.kind === 'start') {
      const { test, mutant } = last
      const kind = progress.isSuspect(mutant, test) ? 'killed' : 'suspect'
      append(place.files.journal, { kind, test, mutant } satisfies Entry)
    }
  }
  throw new Error('Three test processes in a row recorded nothing. Run the tests without mutants to see why.')
}

function runTests({ root, packageRoot, work, files }: Folder, testFiles: readonly string[]): Promise<void> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const config = join(root, 'tools', 'mutants', 'mutated.config.ts')
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [vitest, 'run', '--config', config, ...testFiles], {
      cwd: packageRoot,
      env: { ...process.env, [WORK_FOLDER]: work },
      stdio: 'ignore',
    })
    const watch = setInterval(() => endWhenHanging(files.journal), HANG_MS / 10)
    child.once('exit', () => {
      clearInterval(watch)
      resolve()
    })
  })
}

function endWhenHanging(journal: string): void {
  const stats = statSync(journal, { throwIfNoEntry: false })
  if (stats === undefined || Date.now() - stats.mtimeMs < HANG_MS) return
  const last = readLines<Entry>(journal).at(-1)
  if (last?.kind !== 'start' || last.pid === undefined) return
  try {
    process.kill(last.pid, 'SIGKILL')
  } catch {
    // The process has already ended by itself.
  }
}
