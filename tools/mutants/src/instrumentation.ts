import { AsyncLocalStorage } from 'node:async_hooks'

/** The global object `__stryker__`. The inserted mutants use it. */
interface Instrumentation {
  readonly activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
}

/** The name of a global function. Each mutated module calls this function at the start and at the end of its code. */
export const LOADING = '__concordMutantsLoading__'

/** One run of a test, stored in the asynchronous context of the test's code. */
interface TestRun {
  isDead: boolean
}

/** Activates a mutant, and counts how often mutated code asks which mutant is active. */
export class MutantSwitch {
  readonly #instrumentation: Instrumentation = ((
    globalThis as { __stryker__?: Instrumentation }
  ).__stryker__ ??= {})
  readonly #context = new AsyncLocalStorage<TestRun>()
  #run: TestRun = { isDead: false }
  #active: string | undefined
  #steps = 0
  #maxSteps = Infinity
  #loading = 0
  #testBeforeLoading: string | undefined

  constructor() {
    ;(globalThis as Record<string, unknown>)[LOADING] = (isStart: boolean) => this.#load(isStart)
    Object.defineProperty(this.#instrumentation, 'activeMutant', { get: () => this.#ask() })
  }

  /** The mutants that were reached while modules were loading. */
  get atLoad(): readonly string[] {
    return Object.keys(this.#instrumentation.mutantCoverage?.static ?? {})
  }

  /** How often mutated code has asked which mutant is active, since the start of the run. */
  get steps(): number {
    return this.#steps
  }

  startCoverage(test: string): void {
    this.#steps = 0
    this.#instrumentation.currentTestId = test
  }

  endCoverage(test: string): Readonly<Record<string, number>> | undefined {
    this.#instrumentation.currentTestId = undefined
    return this.#instrumentation.mutantCoverage?.perTest[test]
  }

  start(mutant: string | undefined, maxSteps: number): void {
    this.#run = { isDead: false }
    this.#steps = 0
    this.#maxSteps = maxSteps
    this.#active = mutant
    this.#instrumentation.hitCount = 0
    this.#instrumentation.hitLimit = Infinity
  }

  /** Runs the body of a test in the context of the current run. Hooks run outside of this context. */
  inside<Result>(run: () => Result): Result {
    return this.#context.run(this.#run, run)
  }

  /** Whether the calling code belongs to the current run. */
  get isInside(): boolean {
    return this.#context.getStore() === this.#run
  }

  /** Ends the run, and returns whether the mutant was reached. */
  end(isFailed: boolean): boolean {
    this.#run.isDead = isFailed
    this.#active = undefined
    this.#maxSteps = Infinity
    return (this.#instrumentation.hitCount ?? 0) > 0
  }

  /** While modules load, records no coverage for the current test. */
  #load(isStart: boolean): void {
    if (isStart && this.#loading++ === 0) {
      this.#testBeforeLoading = this.#instrumentation.currentTestId
      this.#instrumentation.currentTestId = undefined
    } else if (!isStart && --this.#loading === 0) {
      this.#instrumentation.currentTestId = this.#testBeforeLoading
    }
  }

  #ask(): string | undefined {
    if (this.#loading > 0) return undefined
    // Stops code that continues after its test has failed. This code would disturb the next test.
    if (this.#context.getStore()?.isDead === true) throw new Error('the test is over')
    this.#steps += 1
    if (this.#steps > this.#maxSteps) throw new Error('the mutant caused an endless loop')
    return this.#active
  }
}
