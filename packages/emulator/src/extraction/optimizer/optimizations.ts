import type { ControlledClock } from '../../core/controlled-clock.ts'
import { EmulatorOptionsError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { randomUuid, type RandomSource } from '../../core/random.ts'
import type { TransitionCheck } from '../../core/transitions.ts'
import type { Blueprints } from '../blueprints.ts'
import type { ExtractionChoices, RunStart } from '../choices.ts'
import type { Blueprint, Optimization, OptimizationRequest, OptimizationStatus } from '../model.ts'

/** Where a run starts from, with every default of its request. */
type Start = RunStart & { request: OptimizationRequest }

/** The optimization jobs, and what moves them. */
export interface Optimizations {
  start(scope: string, blueprint: Blueprint, start: Start): Optimization
  find(scope: string, id: string): Optimization | undefined
  /** The latest run for a blueprint. */
  latestFor(blueprint: Blueprint): Optimization | undefined
  all(): Optimization[]
  /** Moves a run one state on; a running one by one iteration. */
  advance(id: string): void
  /** Moves a run to an end, through the states before it. */
  end(id: string, status: 'completed' | 'failed' | 'cancelled'): void
  clear(): void
}

/** What optimization works with. */
export interface OptimizationTools {
  clock: ControlledClock
  random: RandomSource
  choices: ExtractionChoices
  checkMove: TransitionCheck
  finalStatuses: ReadonlySet<string>

  blueprints: Blueprints
  log: Log
}

/** Makes an empty set of optimization jobs. */
export function createOptimizations({
  clock,
  random,
  choices,
  checkMove,
  finalStatuses,
  blueprints,
  log,
}: OptimizationTools): Optimizations {
  const runs = new Map<string, Optimization>()
  const timers = new Map<string, { cancel(): void }>()

  function move(run: Optimization, status: OptimizationStatus): void {
    checkMove(run.status, status)
    run.status = status
    timers.get(run.id)?.cancel()
    timers.delete(run.id)
    if (status !== 'completed') return
    run.optimizedSchema = choices.optimizeSchema(run)
    const blueprint = blueprints.find(run.scope, run.blueprintId)
    if (blueprint) blueprints.addVersion(blueprint, run.optimizedSchema, run.currentAccuracy)
  }

  function schedule(run: Optimization): void {
    const delays: Partial<Record<OptimizationStatus, number>> = {
      pending: choices.optimization.pendingMs,
      initializing: choices.optimization.initializingMs,
      running: choices.optimization.iterationMs,
    }
    const delayMs = delays[run.status]
    if (delayMs === undefined) return
    timers.get(run.id)?.cancel()
    timers.set(
      run.id,
      clock.setTimer(() => stepByItself(run), delayMs),
    )
  }

  function stepByItself(run: Optimization): void {
    try {
      step(run)
    } catch (error) {
      // Only a replaced choice can fail here; nobody waits for a timer that could be told.
      log('error', `extraction: optimization job ${run.id} could not go on: ${String(error)}`)
      if (run.status === 'running') move(run, 'failed')
    }
  }

  function step(run: Optimization): void {
    if (run.status === 'pending') move(run, 'initializing')
    else if (run.status === 'initializing') move(run, 'running')
    else {
      const { accuracy, costUsd, end } = choices.iterate(run)
      run.iteration++
      run.currentAccuracy = accuracy
      run.totalCostUsd += costUsd
      if (end) move(run, end)
    }
    schedule(run)
  }

  function unfinished(id: string): Optimization {
    const run = runs.get(id)
    if (!run) throw new EmulatorOptionsError(`There is no optimization job ${id}.`)
    if (finalStatuses.has(run.status))
      throw new EmulatorOptionsError(`The optimization job ${id} is ${run.status} already.`)
    return run
  }

  return {
    start(scope, blueprint, { schema, request, ...progress }) {
      const run: Optimization = {
        id: randomUuid(random),
        scope,
        blueprintId: blueprint.id,
        request,
        createdAt: clock.now(),
        status: 'pending',
        iteration: progress.iteration ?? 0,
        baselineAccuracy: choices.optimization.baselineAccuracy,
        currentAccuracy: progress.currentAccuracy ?? choices.optimization.baselineAccuracy,
        totalCostUsd: progress.totalCostUsd ?? 0,
        startingSchema: schema,
      }
      checkMove('null', run.status)
      runs.set(run.id, run)
      schedule(run)
      return run
    },
    find(scope, id) {
      const run = runs.get(id)
      return run?.scope === scope ? run : undefined
    },
    latestFor: (blueprint) => [...runs.values()].filter((run) => run.blueprintId === blueprint.id).at(-1),
    all: () => [...runs.values()],
    advance: (id) => step(unfinished(id)),
    end(id, status) {
      const run = unfinished(id)
      if (run.status === 'pending') move(run, 'initializing')
      if (run.status === 'initializing') move(run, 'running')
      move(run, status)
    },
    clear() {
      for (const timer of timers.values()) timer.cancel()
      timers.clear()
      runs.clear()
    },
  }
}
