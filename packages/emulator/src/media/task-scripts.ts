import { EmulatorOptionsError } from '../core/errors.ts'
import type { RandomSource } from '../core/random.ts'
import type { MediaTask } from './model.ts'

/** How the next tasks go. @public */
export interface TaskScript {
  /**
   * `succeed` and `fail` end by themselves; `hold` stays in a state until the control interface moves it; `manual`
   * moves only by the control interface. By default `succeed`.
   */
  outcome?: 'succeed' | 'fail' | 'hold' | 'manual'
  /** Why the task fails, for instance `INTERNAL.BAD_OUTPUT`; needed for `fail`. */
  failure?: string
  /** Where a held task stays; by default `RUNNING`. */
  in?: 'THROTTLED' | 'PENDING' | 'RUNNING'
  /** How long it waits to start, in milliseconds; by default as chosen. */
  pendingMs?: number
  /** How long it runs, in milliseconds; by default as chosen. */
  runningMs?: number
  /** The operation or operations whose tasks go like this; by default every one. */
  operation?: string | readonly string[]
  /** The model whose tasks go like this; by default every one. */
  model?: string
  /** How likely a task goes like this, from 0 to 1; by default 1. */
  probability?: number
  /** How many tasks go like this; by default one. */
  times?: number | 'always'
}

/** What a task does by itself. */
export interface TaskCourse {
  /** Whether it leaves THROTTLED when there is room; with `false` it also begins there. */
  leavesQueue: boolean
  starts: boolean
  ends: boolean
  failure?: string
  pendingMs?: number
  runningMs?: number
}

/** The scripts that were asked for, and the course of each task. */
export interface TaskScripts {
  add(script: TaskScript): void
  /** Gives a new task its course. */
  take(task: Pick<MediaTask, 'operationId' | 'model'>): TaskCourse
  clear(): void
}

/** Makes an empty list of scripts. The first one that fits a task is used, in the order in which they were added. */
export function createTaskScripts(random: RandomSource, operationIds: readonly string[]): TaskScripts {
  let waiting: { script: TaskScript; left: number }[] = []
  return {
    add(script) {
      check(script, operationIds)
      waiting.push({ script, left: script.times === 'always' ? Infinity : (script.times ?? 1) })
    },
    take(task) {
      const next = waiting.find(({ script }) => fits(script, task) && happens(script, random))
      if (next && --next.left <= 0) waiting = waiting.filter((entry) => entry !== next)
      return toCourse(next?.script ?? {})
    },
    clear: () => void (waiting = []),
  }
}

function fits(script: TaskScript, { operationId, model }: Pick<MediaTask, 'operationId' | 'model'>): boolean {
  const { operation } = script
  const isMeant = operation === undefined || [operation].flat().includes(operationId)
  return isMeant && (script.model === undefined || script.model === model)
}

function toCourse(script: TaskScript): TaskCourse {
  const { outcome = 'succeed', failure, in: place = 'RUNNING', pendingMs, runningMs } = script
  const holds = outcome === 'hold'
  return {
    leavesQueue: !(holds && place === 'THROTTLED'),
    starts: outcome !== 'manual' && !(holds && place !== 'RUNNING'),
    ends: outcome !== 'manual' && !holds,
    ...(outcome === 'fail' && failure !== undefined ? { failure } : {}),
    ...(pendingMs === undefined ? {} : { pendingMs }),
    ...(runningMs === undefined ? {} : { runningMs }),
  }
}

function check(script: TaskScript, operationIds: readonly string[]): void {
  const refuse = (reason: string): never => {
    throw new EmulatorOptionsError(`This script cannot be used: ${reason}.`)
  }
  const { outcome = 'succeed', failure, in: place = 'RUNNING', times = 1, probability = 1 } = script
  if (!['succeed', 'fail', 'hold', 'manual'].includes(outcome))
    refuse('outcome must be succeed, fail, hold or manual')
  if (outcome === 'fail' && (typeof failure !== 'string' || failure === ''))
    refuse('a task that fails needs a failure, a code or words')
  if (!['THROTTLED', 'PENDING', 'RUNNING'].includes(place)) refuse('in must be THROTTLED, PENDING or RUNNING')
  if (times !== 'always' && !(Number.isInteger(times) && times > 0))
    refuse('times must be a whole number above 0, or "always"')
  if (!(probability >= 0 && probability <= 1)) refuse('probability must be between 0 and 1')
  for (const delayMs of [script.pendingMs, script.runningMs])
    if (delayMs !== undefined && !(delayMs >= 0)) refuse('pendingMs and runningMs must be 0 or more')
  for (const name of script.operation === undefined ? [] : [script.operation].flat())
    if (!operationIds.includes(name)) refuse(`operation ${name} is not one of ${operationIds.join(', ')}`)
}

function happens({ probability = 1 }: TaskScript, random: RandomSource): boolean {
  return probability === 1 || random() < probability
}
