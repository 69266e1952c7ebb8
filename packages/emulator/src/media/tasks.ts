import { EmulatorOptionsError, required } from '../core/errors.ts'
import type { Scripts } from '../core/scripts.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { MediaTools } from './choices.ts'
import type { MediaTask, MediaTaskStatus } from './model.ts'
import type { Organizations } from './organizations.ts'
import type { Outputs } from './outputs/outputs.ts'
import { appliesTo, toCourse, type TaskCourse, type TaskScript } from './task-scripts.ts'

const PENDING_MS = 1_000
const RUNNING_MS = 3_000

type NewTask = Pick<
  MediaTask,
  'organization' | 'operationId' | 'model' | 'body' | 'credits' | 'baseUrl' | 'inputProblem'
>

interface TaskTools extends MediaTools {
  readonly scripts: Scripts<TaskScript>
  readonly organizations: Organizations
  readonly outputs: Outputs
  readonly checkMove: TransitionCheck
  readonly finalStatuses: ReadonlySet<string>
}

/** The tasks that share a concurrency limit: the active tasks, and the throttled tasks in order of submission. */
interface Group {
  readonly active: Set<MediaTask>
  readonly waiting: Set<MediaTask>
}

interface TaskEntry {
  readonly task: MediaTask
  readonly course: TaskCourse
  timer?: { cancel(): void }
  throttledSince?: number
}

export class Tasks {
  readonly #tools: TaskTools
  readonly #entries = new Map<string, TaskEntry>()
  readonly #groups = new Map<string, Group>()

  constructor(tools: TaskTools) {
    this.#tools = tools
  }

  submit(input: NewTask): MediaTask {
    const { choices, clock, random, scripts, checkMove, organizations } = this.#tools
    const course = toCourse(scripts.take((script) => appliesTo(script, input, random)) ?? {})
    const task: MediaTask = {
      ...input,
      id: choices.newIdentifier('task', random),
      status: 'PENDING',
      createdAt: clock.now(),
      throttledMs: 0,
      charged: false,
      outputs: [],
    }
    const first = this.#hasRoom(task) && course.leavesQueue ? choices.taskMoves.first : 'THROTTLED'
    checkMove('null', first)
    const entry: TaskEntry = { task, course }
    this.#entries.set(task.id, entry)
    if (choices.credits.taken === 'submitted') organizations.charge(task)
    this.#enter(entry, first)
    return task
  }

  get(id: string): MediaTask | undefined {
    return this.#entries.get(id)?.task
  }

  all(): MediaTask[] {
    const now = this.#tools.clock.now()
    return [...this.#entries.values()].map(({ task, throttledSince }) => {
      if (throttledSince !== undefined) task.throttledMs = now - throttledSince
      return task
    })
  }

  advance(id: string): void {
    const entry = this.#unfinished(id)
    const { status } = entry.task
    if (status === 'THROTTLED') this.#move(entry, this.#tools.choices.taskMoves.afterThrottled)
    else if (status === 'PENDING') this.#move(entry, 'RUNNING')
    else this.#end(entry, this.#failureOf(entry))
  }

  finish(id: string, failure?: string): void {
    const entry = this.#unfinished(id)
    const { task } = entry
    if (task.status === 'THROTTLED') this.#move(entry, this.#tools.choices.taskMoves.afterThrottled)
    if (task.status === 'PENDING') this.#move(entry, 'RUNNING')
    this.#end(entry, failure)
  }

  /** Cancels a task that hasn't ended. Deletes a task that has ended. */
  remove(task: MediaTask): void {
    const { choices, finalStatuses, clock, organizations } = this.#tools
    const entry = this.#entries.get(task.id)
    if (!entry) return
    const { failure } = choices.deletedTask
    const isOver = finalStatuses.has(task.status)
    if (!isOver && task.charged && choices.refunds({ task })) organizations.refund(task)
    const group = this.#groupOf(task)
    if (isOver || failure === null) {
      entry.timer?.cancel()
      this.#entries.delete(task.id)
      group.active.delete(task)
      group.waiting.delete(task)
    } else {
      this.#move(entry, 'FAILED')
      task.failure = failure
      task.endedAt = clock.now()
    }
    this.#fill(group)
  }

  /** Moves tasks out of THROTTLED if the concurrency limits now allow it, for instance after a change of the tier. */
  fillRoom(): void {
    for (const group of this.#groups.values()) this.#fill(group)
  }

  clear(): void {
    for (const { timer } of this.#entries.values()) timer?.cancel()
    this.#entries.clear()
    this.#groups.clear()
  }

  #unfinished(id: string): TaskEntry {
    const entry = required(this.#entries.get(id), `task ${id}`)
    const { status } = entry.task
    if (this.#tools.finalStatuses.has(status))
      throw new EmulatorOptionsError(`The task \`${id}\` already has the final status \`${status}\`.`)
    return entry
  }

  #groupOf(task: MediaTask): Group {
    const { group: name = task.organization } = this.#tools.choices.countTask(task)
    const group = this.#groups.get(name) ?? { active: new Set<MediaTask>(), waiting: new Set<MediaTask>() }
    this.#groups.set(name, group)
    return group
  }

  #hasRoom(task: MediaTask): boolean {
    return this.#groupOf(task).active.size < this.#tools.organizations.concurrencyOf(task.organization)
  }

  #fill(group: Group): void {
    for (const task of group.waiting) {
      if (!this.#hasRoom(task)) return
      const entry = this.#entries.get(task.id)
      if (entry?.course.leavesQueue) this.#move(entry, this.#tools.choices.taskMoves.afterThrottled)
    }
  }

  #move(entry: TaskEntry, status: MediaTaskStatus): void {
    this.#tools.checkMove(entry.task.status, status)
    this.#enter(entry, status)
  }

  #enter(entry: TaskEntry, status: MediaTaskStatus): void {
    const { task } = entry
    const now = this.#tools.clock.now()
    this.#stop(entry)
    task.status = status
    const group = this.#groupOf(task)
    const { takesPlace = status === 'PENDING' || status === 'RUNNING' } = this.#tools.choices.countTask(task)
    if (takesPlace) group.active.add(task)
    else group.active.delete(task)
    group.waiting.delete(task)
    if (status === 'THROTTLED') {
      entry.throttledSince = now
      group.waiting.add(task)
    }
    if (status === 'RUNNING') task.startedAt = now
    this.#schedule(entry)
  }

  #stop(entry: TaskEntry): void {
    entry.timer?.cancel()
    delete entry.timer
    if (entry.throttledSince === undefined) return
    entry.task.throttledMs = this.#tools.clock.now() - entry.throttledSince
    delete entry.throttledSince
  }

  #schedule(entry: TaskEntry): void {
    const { task, course } = entry
    const { courseOf } = this.#tools.choices
    if (task.status === 'PENDING' && course.starts) {
      const delayMs = course.pendingMs ?? courseOf(task).pendingMs ?? PENDING_MS
      this.#after(entry, delayMs, () => this.#move(entry, 'RUNNING'))
    }
    if (task.status === 'RUNNING' && course.ends) {
      const delayMs = course.runningMs ?? courseOf(task).runningMs ?? RUNNING_MS
      this.#after(entry, delayMs, () => this.#end(entry, this.#failureOf(entry)))
    }
  }

  #after(entry: TaskEntry, delayMs: number, next: () => void): void {
    const { operationId, id } = entry.task
    const failed = (error: Error) => this.#fail(entry, error)
    const work = { operation: operationId, about: `task ${id}`, failed }
    entry.timer = this.#tools.background.setTimer(work, next, delayMs)
  }

  /** Makes the task fail. Calls no choices for the task, because a choice may have caused the error. */
  #fail(entry: TaskEntry, error: Error): void {
    const { task } = entry
    this.#stop(entry)
    Object.assign(task, { status: 'FAILED', failure: error.message, endedAt: this.#tools.clock.now() })
    const work = { operation: task.operationId, about: `tasks queued behind ${task.id}` }
    for (const group of this.#groups.values()) {
      group.active.delete(task)
      group.waiting.delete(task)
      this.#tools.background.run(work, () => this.#fill(group))
    }
  }

  #failureOf({ task, course }: TaskEntry): string | undefined {
    if (course.failure !== undefined) return course.failure
    const { failure = task.inputProblem && 'ASSET.INVALID' } = this.#tools.choices.courseOf(task)
    return failure ?? undefined
  }

  #end(entry: TaskEntry, failure: string | undefined): void {
    const { task } = entry
    const { clock, log, organizations, outputs } = this.#tools
    if (failure === undefined) {
      this.#move(entry, 'SUCCEEDED')
      if (!task.charged) organizations.charge(task)
      outputs.create(task)
    } else {
      this.#move(entry, 'FAILED')
      task.failure = failure
      this.#settle(task, failure)
    }
    task.endedAt = clock.now()
    const why =
      failure === undefined ? '' : `: ${[failure, task.inputProblem?.reason].filter(Boolean).join(', ')}`
    log('info', `media: task ${task.id} ${task.status}${why}`)
    this.#fill(this.#groupOf(task))
  }

  /** Charges or refunds the credits of a failed task. A task that input moderation rejected is never refunded. */
  #settle(task: MediaTask, failure: string): void {
    const { choices, organizations } = this.#tools
    const isKept = failure.startsWith('SAFETY.INPUT.') || !choices.refunds({ task, failure })
    if (isKept && !task.charged) organizations.charge(task)
    if (!isKept && task.charged) organizations.refund(task)
  }
}
