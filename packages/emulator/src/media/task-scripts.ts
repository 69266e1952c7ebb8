import { defined } from '../core/json.ts'
import type { RandomSource } from '../core/random.ts'
import { invalidScript } from '../core/scripts.ts'
import type { MediaTask } from './model.ts'

/** A script for the next tasks. @public */
export interface TaskScript {
  /**
   * With `succeed` or `fail`, the task is PENDING for `pendingMs`, then RUNNING for `runningMs`, and then ends.
   * With `hold`, the task reaches the status that `in` specifies, and stays there until the control interface moves
   * the task. With `manual`, only the control interface moves the task. Exception: a throttled task leaves THROTTLED
   * once the concurrency limit allows it. By default `succeed`.
   */
  readonly outcome?: 'succeed' | 'fail' | 'hold' | 'manual'
  /** Why the task fails, for instance `INTERNAL.BAD_OUTPUT`; required if `outcome` is `fail`. */
  failure?: string
  /** The status in which `hold` keeps a task; by default `RUNNING`. */
  readonly in?: 'THROTTLED' | 'PENDING' | 'RUNNING'
  /** How long the task is `PENDING`, in milliseconds; by default, `choices.courseOf` decides. */
  readonly pendingMs?: number
  /** How long the task is `RUNNING`, in milliseconds; by default, `choices.courseOf` decides. */
  readonly runningMs?: number
  /** The script applies only to tasks that these operations create; by default, to the tasks of all operations. */
  readonly operation?: string | readonly string[]
  /** The script applies only to tasks that use this model; by default, to the tasks of all models. */
  readonly model?: string
  /** The probability that the script applies to a task, from 0 to 1; by default 1. */
  readonly probability?: number
  /** How many tasks the script applies to; by default one. */
  readonly times?: number | 'always'
}

/** How a task progresses if the control interface doesn't move it. */
export interface TaskCourse {
  /**
   * Whether the task leaves THROTTLED once the concurrency limit allows it. If false, the task starts as THROTTLED
   * even when the limit isn't reached.
   */
  readonly leavesQueue: boolean
  readonly starts: boolean
  readonly ends: boolean
  failure?: string
  readonly pendingMs?: number
  readonly runningMs?: number
}

export function appliesTo(
  { operation, model, probability = 1 }: TaskScript,
  task: Pick<MediaTask, 'operationId' | 'model'>,
  random: RandomSource,
): boolean {
  return (
    (operation === undefined || [operation].flat().includes(task.operationId)) &&
    (model === undefined || model === task.model) &&
    (probability === 1 || random() < probability)
  )
}

export function toCourse(script: TaskScript): TaskCourse {
  const { outcome = 'succeed', failure, in: heldIn = 'RUNNING', pendingMs, runningMs } = script
  const holds = outcome === 'hold'
  return {
    leavesQueue: !(holds && heldIn === 'THROTTLED'),
    starts: outcome !== 'manual' && !(holds && heldIn !== 'RUNNING'),
    ends: outcome !== 'manual' && !holds,
    ...defined({ failure: outcome === 'fail' ? failure : undefined, pendingMs, runningMs }),
  }
}

/** @throws EmulatorOptionsError if the script is invalid. */
export function checkScript(script: TaskScript, operationIds: readonly string[]): void {
  const { outcome = 'succeed', failure, in: heldIn = 'RUNNING', probability = 1 } = script
  if (!['succeed', 'fail', 'hold', 'manual'].includes(outcome))
    throw invalidScript('`outcome` must be `succeed`, `fail`, `hold` or `manual`')
  if (outcome === 'fail' && (typeof failure !== 'string' || failure === ''))
    throw invalidScript('`failure` must be a string (a code or a message), because `outcome` is `fail`')
  if (!['THROTTLED', 'PENDING', 'RUNNING'].includes(heldIn))
    throw invalidScript('`in` must be `THROTTLED`, `PENDING` or `RUNNING`')
  if (!(probability >= 0 && probability <= 1)) throw invalidScript('`probability` must be between 0 and 1')
  for (const delayMs of [script.pendingMs, script.runningMs])
    if (delayMs !== undefined && !(delayMs >= 0))
      throw invalidScript('`pendingMs` and `runningMs` must be 0 or more')
  for (const name of [script.operation ?? []].flat())
    if (!operationIds.includes(name))
      throw invalidScript(
        `unknown operation \`${name}\`; valid operations: ${operationIds.map((id) => `\`${id}\``).join(', ')}`,
      )
}
