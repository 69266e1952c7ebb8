import { success } from '../../core/reply.ts'
import { callerOf, type MediaCall, type MediaContext, type MediaHandler } from '../state.ts'
import type { MediaTask } from '../model.ts'
import { deny } from '../denials.ts'

function findTask(call: MediaCall, { tasks }: MediaContext): MediaTask | undefined {
  const task = tasks.find(call.parameters['id'] ?? '')
  return task?.organization === callerOf(call).name ? task : undefined
}

/** GET /v1/tasks/{id}. */
function getTask(context: MediaContext): MediaHandler {
  const { choices } = context
  return {
    handle(call) {
      const task = findTask(call, context)
      if (!task) return deny(choices, 'task-not-found')
      const { id, status, failure, outputs } = task
      return success(200, task, {
        id,
        status,
        ...(status === 'SUCCEEDED' ? { output: outputs.map(({ url }) => url) } : {}),
        ...(failure === undefined ? {} : { failure }),
      })
    },
  }
}

/** DELETE /v1/tasks/{id}: cancels a task that hasn't ended, or deletes one that has. */
function deleteTask(context: MediaContext): MediaHandler {
  const { choices, tasks, outputs } = context
  return {
    handle(call) {
      const task = findTask(call, context)
      if (!task) return deny(choices, 'task-not-found')
      tasks.remove(task)
      if (choices.deletedTask.outputs === 'removed') outputs.remove(task)
      return success(200, task, {})
    },
  }
}

export function taskHandlers(context: MediaContext): Record<string, MediaHandler> {
  return {
    getTask: getTask(context),
    deleteTask: deleteTask(context),
  }
}
