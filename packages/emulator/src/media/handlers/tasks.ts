import type { JsonObject } from '../../core/json.ts'
import { success, type Reply } from '../../core/reply.ts'
import { callerOf, jsonOf } from '../../core/service.ts'
import { deny } from '../denials.ts'
import { checkInput } from '../inputs/check-input.ts'
import { costOf, missingInput } from '../model-table.ts'
import { OUTPUT_KINDS } from '../outputs/outputs.ts'
import { forOwner, type MediaCall, type MediaContext, type MediaHandler } from '../state.ts'

export function taskHandlers(context: MediaContext): Record<string, MediaHandler> {
  const { choices, tasks, outputs } = context
  const generation: MediaHandler = { handle: (call) => generate(call, context) }
  const forTask = forOwner(tasks, () => deny(choices, 'task-not-found'))
  return {
    ...Object.fromEntries(Object.keys(OUTPUT_KINDS).map((operation) => [operation, generation])),
    getTask: forTask((task) =>
      success(200, task, {
        id: task.id,
        status: task.status,
        ...(task.status === 'SUCCEEDED' ? { output: task.outputs.map(({ url }) => url) } : {}),
        ...(task.failure === undefined ? {} : { failure: task.failure }),
      }),
    ),
    deleteTask: forTask((task) => {
      tasks.remove(task)
      if (choices.deletedTask.outputs === 'removed') outputs.remove(task)
      return success(200, task, {})
    }),
  }
}

async function generate(call: MediaCall, context: MediaContext): Promise<Reply> {
  const { choices, models, organizations, submissions, tasks, inputs } = context
  const organization = callerOf(call)
  const { operationId, path } = call.operation
  const body = jsonOf(call)
  const named = typeof body['model'] === 'string' ? body['model'] : undefined
  const row =
    models.find(({ model, endpoints }) => model === named && endpoints.includes(path)) ??
    choices.unlistedModel(named, path, models)
  const model = typeof row === 'string' ? (named ?? '') : row.model
  const request = { operationId, model, body }
  const key = choices.submissionKey(request)
  submissions.arrived(key, operationId)
  if (typeof row === 'string') return deny(choices, 'input-rejected', { reasons: [row] })
  const found = choices.findInputs(request, choices.uploads.scheme)
  const missing = missingInput(row, body, call.operation.bodyFields)
  const reason = choices.generationProblem({ row, inputs: found, request, missing })
  if (reason !== undefined) return deny(choices, 'input-rejected', { reasons: [reason] })
  const checks = await Promise.all(found.map((input) => checkInput(input, organization.name, inputs)))
  const problems = checks.filter((problem) => problem !== undefined)
  const rejected = problems.filter(({ verdict }) => verdict === 'rejected')
  if (rejected.length > 0)
    return deny(choices, 'input-rejected', { reasons: rejected.map((problem) => problem.reason) })

  const credits = choices.costOf({ request, row, credits: costOf(row, request) })
  const denial = organizations.denyGeneration(organization, credits)
  if (denial) return denial
  const [inputProblem] = problems
  const task = tasks.submit({
    organization: organization.name,
    operationId,
    model,
    body: shortened(body),
    credits,
    baseUrl: call.baseUrl,
    ...(inputProblem ? { inputProblem } : {}),
  })
  organizations.count(task)
  submissions.accepted(key, task.id)
  return success(200, task, { id: task.id })
}

/** Shortens long data URIs in a body, because the body is stored with its task. */
function shortened(body: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(body, (_, value: unknown) =>
      typeof value === 'string' && value.length > 2_048 && value.startsWith('data:')
        ? `${value.slice(0, 64)}... (${value.length} characters)`
        : value,
    ),
  ) as JsonObject
}
