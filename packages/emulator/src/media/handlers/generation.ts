import { success, type Reply } from '../../core/reply.ts'
import type { JsonObject } from '../../core/json.ts'
import { bodyOf, callerOf, type MediaCall, type MediaContext, type MediaHandler } from '../state.ts'
import { costOf } from '../model-table.ts'
import { checkInput, type BadInput } from '../inputs/check-input.ts'
import { missingInput } from '../model-table.ts'
import type { MediaInput } from '../model.ts'
import { deny } from '../denials.ts'

/** The ten generation endpoints. */
function generate(context: MediaContext): MediaHandler {
  const { choices, models, organizations, submissions, tasks } = context

  async function submit(call: MediaCall): Promise<Reply> {
    const organization = callerOf(call)
    const { operationId, path } = call.operation
    const body = bodyOf(call)
    const named = typeof body['model'] === 'string' ? body['model'] : undefined
    const row = models.find(named, path) ?? choices.unlistedModel(named, path, models.rows)
    const model = typeof row === 'string' ? (named ?? '') : row.model
    const request = { operationId, model, body }
    const key = choices.submissionKey(request)
    submissions.arrived(key, operationId)
    if (typeof row === 'string') return deny(choices, 'input-rejected', { reasons: [row] })
    const inputs = choices.findInputs(request, choices.uploads.scheme)
    const missing = missingInput(row, body, call.operation.bodyFields)
    const reason = choices.generationProblem({ row, inputs, request, missing })
    if (reason !== undefined) return deny(choices, 'input-rejected', { reasons: [reason] })
    const problems = await judge(inputs, organization.name, context)
    const denied = problems.filter(({ verdict }) => verdict === 'rejected')
    if (denied.length > 0)
      return deny(choices, 'input-rejected', { reasons: denied.map((problem) => problem.reason) })

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

  return { handle: submit }
}

async function judge(
  found: readonly MediaInput[],
  organization: string,
  { inputs }: MediaContext,
): Promise<BadInput[]> {
  const problems = await Promise.all(found.map((input) => checkInput(input, organization, inputs)))
  return problems.filter((problem) => problem !== undefined)
}

/** Shortens long data URIs in a body, which is kept with its task. */
function shortened(body: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(body, (_, value: unknown) =>
      typeof value === 'string' && value.length > 2_048 && value.startsWith('data:')
        ? `${value.slice(0, 64)}... (${value.length} characters)`
        : value,
    ),
  ) as JsonObject
}

export function generationHandlers(context: MediaContext): Record<string, MediaHandler> {
  const generation = generate(context)
  return {
    imageToVideo: generation,
    textToVideo: generation,
    videoToVideo: generation,
    characterPerformance: generation,
    textToImage: generation,
    textToSpeech: generation,
    soundEffect: generation,
    voiceIsolation: generation,
    voiceDubbing: generation,
    speechToSpeech: generation,
  }
}
