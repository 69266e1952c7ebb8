import type { ControlledClock } from '../core/controlled-clock.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { RandomSource } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { MediaChoices } from './choices.ts'
import type { MediaTask, MediaTaskStatus } from './model.ts'
import type { TaskCourse, TaskScripts } from './task-scripts.ts'

/** How long a task takes by default. The service takes longer. */
const PENDING_MS = 1_000
const RUNNING_MS = 3_000

/** What a submission says about the task to be made. */
export type NewTask = Pick<
  MediaTask,
  'organization' | 'operationId' | 'model' | 'body' | 'credits' | 'baseUrl' | 'inputProblem'
>

/** What tasks work with. */
export interface TaskTools {
  clock: ControlledClock
  random: RandomSource
  choices: MediaChoices
  scripts: TaskScripts
  log: Log
  checkMove: TransitionCheck
  finalStatuses: ReadonlySet<string>
  /** How many tasks of the organization may be at work together. */
  concurrencyOf(organization: string): number
  charge(task: MediaTask): void
  refund(task: MediaTask): void
  /** Makes the files of a task that succeeded. */
  makeOutputs(task: MediaTask): void
}

/** The tasks, and what moves them. */
export interface Tasks {
  submit(input: NewTask): MediaTask
  find(id: string): MediaTask | undefined
  all(): MediaTask[]
  /** Moves a task one state on. */
  advance(id: string): void
  /** Moves a task to its end: success, or the failure that is given. */
  finish(id: string, failure?: string): void
  /** Cancels a task that has not ended, or deletes one that has. */
  remove(task: MediaTask): void
  /** Starts throttled tasks where there is room, for instance because the tier changed. */
  fillRoom(): void
  clear(): void
}

/** Those that share a concurrency: the ones at work, and the throttled ones in the order in which they came. */
interface Group {
  working: Set<MediaTask>
  waiting: Set<MediaTask>
}

/** Makes an empty set of tasks. */
export function createTasks(tools: TaskTools): Tasks {
  const { clock, choices, checkMove, finalStatuses } = tools
  const tasks = new Map<string, MediaTask>()
  const courses = new Map<MediaTask, TaskCourse>()
  const timers = new Map<MediaTask, { cancel(): void }>()
  const groups = new Map<string, Group>()
  const throttledSince = new Map<MediaTask, number>()

  function groupOf(task: MediaTask): Group {
    const { group: name = task.organization } = choices.countTask(task)
    const group = groups.get(name) ?? { working: new Set<MediaTask>(), waiting: new Set<MediaTask>() }
    groups.set(name, group)
    return group
  }

  function move(task: MediaTask, status: MediaTaskStatus): void {
    checkMove(task.status, status)
    enter(task, status)
  }

  function enter(task: MediaTask, status: MediaTaskStatus): void {
    timers.get(task)?.cancel()
    timers.delete(task)
    const since = throttledSince.get(task)
    if (since !== undefined) task.throttledMs = clock.now() - since
    throttledSince.delete(task)
    task.status = status
    const group = groupOf(task)
    const { takesPlace = status === 'PENDING' || status === 'RUNNING' } = choices.countTask(task)
    if (takesPlace) group.working.add(task)
    else group.working.delete(task)
    group.waiting.delete(task)
    if (status === 'THROTTLED') {
      throttledSince.set(task, clock.now())
      group.waiting.add(task)
    }
    if (status === 'RUNNING') task.startedAt = clock.now()
    schedule(task)
  }

  function schedule(task: MediaTask): void {
    const { starts, ends, pendingMs, runningMs } = courses.get(task) ?? {}
    if (task.status === 'PENDING' && starts)
      after(task, pendingMs ?? choices.courseOf(task).pendingMs ?? PENDING_MS, () => move(task, 'RUNNING'))
    if (task.status === 'RUNNING' && ends)
      after(task, runningMs ?? choices.courseOf(task).runningMs ?? RUNNING_MS, () => end(task))
  }

  function after(task: MediaTask, delayMs: number, next: () => void): void {
    timers.set(task, clock.setTimer(next, delayMs))
  }

  /** Whether another task may be put to work beside this one's group. */
  function hasRoom(task: MediaTask): boolean {
    return groupOf(task).working.size < tools.concurrencyOf(task.organization)
  }

  function fill(group: Group): void {
    for (const task of group.waiting) {
      if (!hasRoom(task)) return
      if (courses.get(task)?.leavesQueue) move(task, choices.taskMoves.afterThrottled)
    }
  }

  function end(task: MediaTask, asked?: string, succeeds = false): void {
    const { failure: chosen = task.inputProblem && 'ASSET.INVALID' } = choices.courseOf(task)
    const own = courses.get(task)?.failure ?? chosen ?? undefined
    const failure = asked ?? (succeeds ? undefined : own)
    if (failure === undefined) {
      move(task, 'SUCCEEDED')
      if (!task.charged) tools.charge(task)
      tools.makeOutputs(task)
    } else {
      move(task, 'FAILED')
      task.failure = failure
      settle(task, failure)
    }
    task.endedAt = clock.now()
    const why =
      failure === undefined ? '' : `: ${[failure, task.inputProblem?.reason].filter(Boolean).join(', ')}`
    tools.log('info', `media: task ${task.id} ${task.status}${why}`)
    fill(groupOf(task))
  }

  /** Takes or gives back the credits of a failed task. What input moderation refused is never refundable. */
  function settle(task: MediaTask, failure: string): void {
    const isKept = failure.startsWith('SAFETY.INPUT.') || !choices.refunds({ task, failure })
    if (isKept && !task.charged) tools.charge(task)
    if (!isKept && task.charged) tools.refund(task)
  }

  function unfinished(id: string): MediaTask {
    const task = tasks.get(id)
    if (!task) throw new EmulatorOptionsError(`There is no task ${id}.`)
    if (finalStatuses.has(task.status))
      throw new EmulatorOptionsError(`The task ${id} is ${task.status} already.`)
    return task
  }

  function forget(task: MediaTask): void {
    timers.get(task)?.cancel()
    for (const map of [timers, courses, throttledSince]) map.delete(task)
    tasks.delete(task.id)
    const group = groupOf(task)
    group.working.delete(task)
    group.waiting.delete(task)
    fill(group)
  }

  function withThrottledMs(task: MediaTask): MediaTask {
    const since = throttledSince.get(task)
    if (since !== undefined) task.throttledMs = clock.now() - since
    return task
  }

  return {
    submit(input) {
      const course = tools.scripts.take(input)
      const task: MediaTask = {
        ...input,
        id: choices.newIdentifier('task', tools.random),
        status: 'PENDING',
        createdAt: clock.now(),
        throttledMs: 0,
        charged: false,
        outputs: [],
      }
      tasks.set(task.id, task)
      courses.set(task, course)
      if (choices.credits.taken === 'submitted') tools.charge(task)
      const begins = hasRoom(task) && course.leavesQueue ? choices.taskMoves.first : 'THROTTLED'
      checkMove('null', begins)
      enter(task, begins)
      return task
    },
    find: (id) => tasks.get(id),
    all: () => [...tasks.values()].map(withThrottledMs),
    advance(id) {
      const task = unfinished(id)
      if (task.status === 'THROTTLED') move(task, choices.taskMoves.afterThrottled)
      else if (task.status === 'PENDING') move(task, 'RUNNING')
      else end(task)
    },
    finish(id, failure) {
      const task = unfinished(id)
      if (task.status === 'THROTTLED') move(task, choices.taskMoves.afterThrottled)
      if (task.status === 'PENDING') move(task, 'RUNNING')
      end(task, failure, failure === undefined)
    },
    remove(task) {
      const { failure } = choices.deletedTask
      if (!finalStatuses.has(task.status)) {
        if (task.charged && choices.refunds({ task })) tools.refund(task)
        if (failure !== null) {
          move(task, 'FAILED')
          task.failure = failure
          task.endedAt = clock.now()
          fill(groupOf(task))
          return
        }
      }
      forget(task)
    },
    fillRoom() {
      for (const group of groups.values()) fill(group)
    },
    clear() {
      for (const timer of timers.values()) timer.cancel()
      for (const map of [tasks, courses, timers, groups, throttledSince]) map.clear()
    },
  }
}
