import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

import { type RunnerTestCase, TestRunner, type TestTryOptions } from 'vitest'

import { MutantSwitch } from './instrumentation.ts'
import {
  append,
  type Entry,
  openMutants,
  type Plan,
  Progress,
  readLines,
  WORK_FOLDER,
  workFolder,
} from './plan.ts'

// Tests may replace these globals.
const { setTimeout: startTimer, performance } = globalThis

const mutantSwitch = new MutantSwitch()
const files = workFolder(process.env[WORK_FOLDER] ?? '')
const plan = JSON.parse(readFileSync(files.plan, 'utf8')) as Plan
const progress = new Progress(readLines<Entry>(files.journal))

const CHECK_MS = 10
/** A test counts as stuck if this many checks in a row find no timer or socket that the test may be waiting for. */
const IDLE_CHECKS = 5
/**
 * Replaces `IDLE_CHECKS` if an earlier run left timers or sockets behind. If an old timer ends while the test starts
 * a new one, the number of timers doesn't change, so the test looks idle for a while.
 */
const IDLE_CHECKS_WITH_LEFTOVERS = 30
/**
 * A test that waits for real timers or sockets may take this long, plus ten times the test's duration without a
 * mutant.
 */
const PATIENCE_MS = 2_000
/** A test may use this much processor time, plus ten times the test's duration without a mutant. */
const BUSY_MS = 5_000
/**
 * After a failure, the test must pass without the mutant, to show that the mutant caused the failure. The test has
 * this many attempts, because work that the mutant left behind can disturb the first attempts.
 */
const MAX_CONTROL_RUNS = 4
const PAUSE_MS = 100
const MAX_MS = 2_147_483_647
/**
 * A run counts as endless if its `MutantSwitch.steps` exceed MORE_STEPS + STEPS_PER_STEP * (the test's steps without
 * a mutant).
 */
const STEPS_PER_STEP = 20
const MORE_STEPS = 50_000

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    startTimer(resolve, ms)
  })

const nameOf = (test: RunnerTestCase): string => {
  const names = [test.name]
  for (let suite = test.suite; suite !== undefined; suite = suite.suite) names.unshift(suite.name)
  return names.join(' > ')
}

function activeResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const isWithin = (counts: ReadonlyMap<string, number>, limits: ReadonlyMap<string, number>): boolean =>
  [...counts].every(([name, count]) => count <= (limits.get(name) ?? 0))

/**
 * Ends the process if a mutant keeps the main thread busy for too long. Runs in a separate thread, and measures
 * processor time, which doesn't depend on how busy the machine is.
 */
class Watch {
  /** Element 0 counts the calls of `start`. Element 1 is the last call's `limitMs`. */
  readonly #shared = new Int32Array(new SharedArrayBuffer(8))

  constructor() {
    this.start(MAX_MS)
    const source = `
      const { appendFileSync, readFileSync } = require('node:fs')
      const { shared, journal } = require('node:worker_threads').workerData
      let run = 0
      let startMs = 0
      setInterval(() => {
        const { user, system } = process.cpuUsage()
        const nowMs = (user + system) / 1000
        if (Atomics.load(shared, 0) !== run) {
          run = Atomics.load(shared, 0)
          startMs = nowMs
        }
        if (nowMs - startMs <= Atomics.load(shared, 1)) return
        const last = JSON.parse(readFileSync(journal, 'utf8').trim().split('\\n').at(-1))
        if (last.kind === 'start') appendFileSync(journal, JSON.stringify({ ...last, kind: 'killed' }) + '\\n')
        process.kill(process.pid, 'SIGKILL')
      }, 250)`
    new Worker(source, {
      eval: true,
      execArgv: [],
      workerData: { shared: this.#shared, journal: files.journal },
    }).unref()
  }

  start(limitMs: number): void {
    Atomics.store(this.#shared, 1, Math.round(limitMs))
    Atomics.add(this.#shared, 0, 1)
  }
}

/** A run that repeats a failed test without the mutant. */
interface ControlRun {
  readonly failedMutant: string
  readonly isSlow: boolean
  readonly attempt: number
}

/** The purpose of one run of a test. */
type Run = { readonly mutant: string } | ControlRun | undefined

/**
 * Runs each test, with its hooks, once for every mutant that the test reaches. All these runs share a process,
 * because a test takes milliseconds, but starting a process takes seconds.
 */
export default class MutantRunner extends TestRunner {
  #queue: string[] = []
  #run: Run
  #runs = 0
  #id = ''
  #startedMs = 0
  #idle: ReadonlyMap<string, number> = new Map()
  #hasStray = false
  readonly #pristine = activeResources()
  readonly #watch = plan.mode === 'mutants' ? new Watch() : undefined

  constructor(config: ConstructorParameters<typeof TestRunner>[0]) {
    super(config)
    // An unhandled error makes a run fail, even if the test passes.
    const noteStray = (): void => {
      if (mutantSwitch.isInside) this.#hasStray = true
    }
    process.on('unhandledRejection', noteStray)
    process.on('uncaughtException', noteStray)
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test)
    this.#id = test.id
    if (plan.mode === 'coverage' || test.mode === 'skip' || test.mode === 'todo') return
    this.#queue = [...openMutants(plan, progress, this.#id)]
    this.#runs = 0
    if (this.#queue.length === 0) test.mode = 'skip'
    // Vitest repeats the test until `onAfterRetryTask` finds that the queue of mutants is empty.
    test.repeats = Number.MAX_SAFE_INTEGER
  }

  override onBeforeTryTask(test: RunnerTestCase, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options)
    this.#startedMs = performance.now()
    if (plan.mode === 'coverage') {
      mutantSwitch.startCoverage(this.#id)
      return
    }
    this.#watch?.start(BUSY_MS + 10 * (plan.tests[this.#id]?.durationMs ?? 0))
    this.#idle = activeResources()
    this.#hasStray = false
    const maxSteps = MORE_STEPS + STEPS_PER_STEP * (plan.tests[this.#id]?.steps ?? 0)
    const mutant = this.#run === undefined ? this.#queue.shift() : undefined
    if (mutant !== undefined) {
      this.#run = { mutant }
      this.#runs += 1
      append(files.journal, { kind: 'start', mutant, test: this.#id, pid: process.pid } satisfies Entry)
    }
    mutantSwitch.start(mutant, maxSteps)
  }

  override onAfterRunFiles(testFiles: Parameters<TestRunner['onAfterRunFiles']>[0]): void {
    super.onAfterRunFiles(testFiles)
    if (plan.mode === 'coverage') {
      append(files.atLoad, { ids: mutantSwitch.atLoad })
    }
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    if (plan.mode === 'coverage') {
      await TestRunner.getTestFn(test)()
      return
    }
    let isOver = false
    const running = mutantSwitch
      .inside(async () => TestRunner.getTestFn(test)())
      .finally(() => (isOver = true))
    try {
      await Promise.race([running, this.#throwWhenStuck(() => isOver)])
    } catch {
      // Throws a new error: for the original one, Vitest would compute a diff, which takes longer than most tests.
      throw new Error('failed')
    }
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options)
    if (plan.mode === 'coverage') {
      this.#recordCoverage(test)
      return
    }
    // Waits, because Node reports unhandled rejections only after the microtasks.
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    const { result } = test
    if (result === undefined) return
    const isFailed = result.state === 'fail' || this.#hasStray
    this.#judge(isFailed, mutantSwitch.end(isFailed))
    delete result.errors
    result.attempts?.splice(0)
    // The state `skip` ends the test. After `pass`, the test runs again, with the next mutant or as a control run.
    result.state = this.#run === undefined && this.#queue.length === 0 ? 'skip' : 'pass'
    if (this.#run !== undefined && 'attempt' in this.#run && this.#run.attempt > 1) await pause(PAUSE_MS)
  }

  #judge(isFailed: boolean, isReached: boolean): void {
    const run = this.#run
    this.#run = undefined
    // Removes the time limit until the next run starts, because loading the next file may exceed it.
    this.#watch?.start(MAX_MS)
    if (run === undefined) return
    if ('mutant' in run && isFailed && progress.isSuspect(run.mutant, this.#id) && this.#runs === 1) {
      // This is the test's first run in a new process, so no earlier run of the test can have caused the failure.
      this.#record('killed', run.mutant)
      process.kill(process.pid, 'SIGKILL')
    }
    if ('mutant' in run) {
      const isSlow = performance.now() - this.#startedMs > this.#limitMs()
      if (isFailed) this.#run = { failedMutant: run.mutant, isSlow, attempt: 1 }
      else this.#record(isReached ? 'survived' : 'unreached', run.mutant)
      return
    }
    if (isFailed && run.attempt < MAX_CONTROL_RUNS) {
      this.#run = { ...run, attempt: run.attempt + 1 }
      return
    }
    const isBusy = run.isSlow && performance.now() - this.#startedMs > this.#limitMs() / 4
    this.#record(isFailed || isBusy ? 'suspect' : 'killed', run.failedMutant)
    // The mutant may have left something behind that makes this and the following tests fail.
    if (isFailed) process.kill(process.pid, 'SIGKILL')
  }

  #record(kind: Entry['kind'], mutant: string): void {
    const entry: Entry = { kind, mutant, test: this.#id }
    append(files.journal, entry)
    progress.add(entry)
  }

  #recordCoverage(test: RunnerTestCase): void {
    const hits = mutantSwitch.endCoverage(this.#id)
    if (hits === undefined || test.result?.state === 'fail') return
    const durationMs = performance.now() - this.#startedMs
    const { filepath: file } = test.file
    const { steps } = mutantSwitch
    append(files.coverage, { test: this.#id, name: nameOf(test), file, durationMs, steps, hits })
  }

  #limitMs(): number {
    return PATIENCE_MS + 10 * (plan.tests[this.#id]?.durationMs ?? 0)
  }

  async #throwWhenStuck(isOver: () => boolean): Promise<void> {
    const hasLeftovers = !isWithin(this.#idle, this.#pristine)
    const checks = hasLeftovers ? IDLE_CHECKS_WITH_LEFTOVERS : IDLE_CHECKS
    let idleChecks = 0
    while (!isOver()) {
      await pause(CHECK_MS)
      idleChecks = isWithin(activeResources(), this.#idle) ? idleChecks + 1 : 0
      if (idleChecks >= checks) throw new Error('nothing is left that could end the test')
      if (performance.now() - this.#startedMs > this.#limitMs()) throw new Error('the test takes too long')
    }
  }
}
