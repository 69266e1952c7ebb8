import { success } from '../../core/reply.ts'
import type { Body } from '../../core/request-body.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { activeSchemaOf } from '../blueprints.ts'
import { callerOf, type ExtractionContext, type ExtractionHandler } from '../state.ts'
import type { Optimization, OptimizationRequest } from '../model.ts'
import { deny } from '../denials.ts'

/** The default of `validation_split`. */
const DEFAULT_VALIDATION_SPLIT = 0.3

/** POST /v1/optimize. */
function startOptimization({ blueprints, optimizations, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle(call) {
      const { scope } = callerOf(call)
      const request = withDefaults(jsonBody(call.body))
      const { training_documents: documents, ground_truth_data: truths } = request
      if (documents && truths && documents.length !== truths.length)
        return deny(choices, 'ground-truth-length')
      const blueprint = blueprints.add(scope, {
        name: request.name ?? '',
        ...(request.description === undefined ? {} : { description: request.description }),
        ...(request.document_type === undefined ? {} : { documentType: request.document_type }),
      })
      const start = choices.startRun({ request })
      const run = optimizations.start(scope, blueprint, { ...start, request: withDefaults(start.request) })
      return success(200, run, showStarted(run))
    },
  }
}

/** POST /v1/optimize/resume. */
function resumeOptimization({ blueprints, optimizations, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle(call) {
      const { scope } = callerOf(call)
      const { job_id: jobId, blueprint_id: blueprintId } = jsonBody(call.body)
      if (typeof jobId !== 'string' && typeof blueprintId !== 'string')
        return deny(choices, 'resume-unreadable')
      const earlier = typeof jobId === 'string' ? optimizations.find(scope, jobId) : undefined
      if (typeof jobId === 'string' && !earlier) return deny(choices, 'optimization-not-found')
      if (earlier && earlier.status !== 'failed') return deny(choices, 'resume-not-failed')
      const blueprint = blueprints.find(scope, earlier?.blueprintId ?? String(blueprintId))
      if (!blueprint) return deny(choices, 'blueprint-not-found')
      const latest = optimizations.latestFor(blueprint)
      const activeSchema = activeSchemaOf(blueprint)
      const start = choices.startRun({
        ...(earlier ? { failed: earlier } : {}),
        ...(latest ? { latest } : {}),
        ...(activeSchema ? { activeSchema } : {}),
      })
      const run = optimizations.start(scope, blueprint, { ...start, request: withDefaults(start.request) })
      return success(200, run, showStarted(run))
    },
  }
}

/** GET /v1/blueprints/jobs/{job_id}. */
function getOptimizationJob({ optimizations, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle(call) {
      const run = optimizations.find(callerOf(call).scope, call.parameters['job_id'] ?? '')
      return run ? success(200, run, showOptimization(run)) : deny(choices, 'optimization-not-found')
    },
  }
}

/** GET /v1/blueprints/jobs/{job_id}/schema. */
function getOptimizedSchema({ optimizations, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle(call) {
      const run = optimizations.find(callerOf(call).scope, call.parameters['job_id'] ?? '')
      if (!run) return deny(choices, 'optimization-not-found')
      return run.optimizedSchema
        ? success(200, run.optimizedSchema, run.optimizedSchema)
        : deny(choices, 'optimized-schema-not-ready')
    },
  }
}

function withDefaults(request: Partial<OptimizationRequest>): OptimizationRequest {
  return { validation_split: DEFAULT_VALIDATION_SPLIT, ...request }
}

/**
 * The response to a start and to a resumption: a resumed run is a new one, since no transition from `failed` is documented.
 */
function showStarted(run: Optimization): JsonObject {
  return { job_id: run.id, blueprint_id: run.blueprintId, status: run.status }
}

function showOptimization(run: Optimization): JsonObject {
  const { target_accuracy, max_cost_usd } = run.request
  return {
    status: run.status,
    iteration: run.iteration,
    baseline_accuracy: run.baselineAccuracy,
    current_accuracy: run.currentAccuracy,
    ...(target_accuracy === undefined ? {} : { target_accuracy }),
    total_cost: run.totalCostUsd,
    ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
  }
}

function jsonBody(body: Body): JsonObject {
  return body.kind === 'json' && isObject(body.value) ? body.value : {}
}

export function optimizerHandlers(context: ExtractionContext): Record<string, ExtractionHandler> {
  return {
    startOptimization: startOptimization(context),
    resumeOptimization: resumeOptimization(context),
    getOptimizationJob: getOptimizationJob(context),
    getOptimizedSchema: getOptimizedSchema(context),
  }
}
