import { EmulatorOptionsError, required } from '../core/errors.ts'
import { randomUuid } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { Blueprints } from './blueprints.ts'
import type { Blueprint, Optimization, OptimizationRequest, OptimizationStatus, RunStart } from './model.ts'
import type { ExtractionTools } from './choices.ts'

interface OptimizationTools extends ExtractionTools {
  readonly checkMove: TransitionCheck
  readonly finalStatuses: ReadonlySet<string>
  readonly blueprints: Blueprints
}

/** In percent. How the service measures the baseline accuracy is undocumented. */
const BASELINE_ACCURACY = 70

/** A `RunStart` whose `request` always has a `validation_split`. */
type Start = RunStart & { request: OptimizationRequest }

export class Optimizations {
  readonly #tools: OptimizationTools
  readonly #runs = new Map<string, Optimization>()
  readonly #timers = new Map<string, { cancel(): void }>()

  constructor(tools: OptimizationTools) {
    this.#tools = tools
  }

  start(scope: string, blueprint: Blueprint, { schema, request, ...progress }: Start): Optimization {
    const { random, clock, checkMove } = this.#tools
    const run: Optimization = {
      id: randomUuid(random),
      scope,
      blueprintId: blueprint.id,
      request,
      createdAt: clock.now(),
      status: checkMove('null', 'pending'),
      iteration: progress.iteration ?? 0,
      baselineAccuracy: BASELINE_ACCURACY,
      currentAccuracy: progress.currentAccuracy ?? BASELINE_ACCURACY,
      totalCostUsd: progress.totalCostUsd ?? 0,
      startingSchema: schema,
    }
    this.#runs.set(run.id, run)
    this.#schedule(run)
    return run
  }

  find(scope: string, id: string): Optimization | undefined {
    const run = this.#runs.get(id)
    return run?.scope === scope ? run : undefined
  }

  latestFor(blueprint: Blueprint): Optimization | undefined {
    return this.all().findLast((run) => run.blueprintId === blueprint.id)
  }

  all(): Optimization[] {
    return [...this.#runs.values()]
  }

  advance(id: string): void {
    this.#step(this.#unfinished(id))
  }

  end(id: string, status: 'completed' | 'failed' | 'cancelled'): void {
    const run = this.#unfinished(id)
    if (run.status === 'pending') this.#move(run, 'initializing')
    if (run.status === 'initializing') this.#move(run, 'running')
    this.#move(run, status)
  }

  clear(): void {
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
    this.#runs.clear()
  }

  #unfinished(id: string): Optimization {
    const run = required(this.#runs.get(id), `optimization job ${id}`)
    if (this.#tools.finalStatuses.has(run.status))
      throw new EmulatorOptionsError(`The optimization job ${id} is already ${run.status}.`)
    return run
  }

  #move(run: Optimization, status: OptimizationStatus): void {
    const { checkMove, choices, blueprints } = this.#tools
    checkMove(run.status, status)
    const optimizedSchema = status === 'completed' ? choices.optimizeSchema(run) : undefined
    run.status = status
    this.#timers.get(run.id)?.cancel()
    this.#timers.delete(run.id)
    if (!optimizedSchema) return
    run.optimizedSchema = optimizedSchema
    const blueprint = blueprints.find(run.scope, run.blueprintId)
    if (blueprint) blueprints.addVersion(blueprint, optimizedSchema, run.currentAccuracy)
  }

  #step(run: Optimization): void {
    if (run.status === 'pending') this.#move(run, 'initializing')
    else if (run.status === 'initializing') this.#move(run, 'running')
    else {
      const { accuracy, costUsd, end } = this.#tools.choices.iterate(run)
      run.iteration++
      run.currentAccuracy = accuracy
      run.totalCostUsd += costUsd
      if (end) this.#move(run, end)
    }
    this.#schedule(run)
  }

  #schedule(run: Optimization): void {
    const { choices, background } = this.#tools
    const { pendingMs, initializingMs, iterationMs } = choices.optimization
    const delays: Partial<Record<OptimizationStatus, number>> = {
      pending: pendingMs,
      initializing: initializingMs,
      running: iterationMs,
    }
    const delayMs = delays[run.status]
    if (delayMs === undefined) return
    this.#timers.get(run.id)?.cancel()
    const work = {
      operation: 'startOptimization',
      about: `optimization job ${run.id}`,
      failed: () => {
        if (run.status === 'running') this.#move(run, 'failed')
      },
    }
    this.#timers.set(
      run.id,
      background.setTimer(work, () => this.#step(run), delayMs),
    )
  }
}
