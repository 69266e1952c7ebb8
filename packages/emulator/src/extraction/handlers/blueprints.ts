import { success, type Reply } from '../../core/reply.ts'
import { defined, type JsonObject } from '../../core/json.ts'
import { callerOf, jsonOf } from '../../core/service.ts'
import { activeVersionOf } from '../blueprints.ts'
import type { ExtractionContext, ExtractionHandler } from '../state.ts'
import type { Blueprint, Optimization, OptimizationRequest, RunFacts } from '../model.ts'
import { deny } from '../denials.ts'
import { showBlueprint, showBlueprintList } from '../views.ts'

const DEFAULT_VALIDATION_SPLIT = 0.3

export function blueprintHandlers({
  blueprints,
  optimizations,
  choices,
}: ExtractionContext): Record<string, ExtractionHandler> {
  /** Starts a new run, even to resume a failed run, because no transition from `failed` is documented. */
  function start(scope: string, blueprint: Blueprint, facts: RunFacts): Reply {
    const from = choices.startRun(facts)
    const run = optimizations.start(scope, blueprint, { ...from, request: withDefaults(from.request) })
    return success(200, run, { job_id: run.id, blueprint_id: run.blueprintId, status: run.status })
  }

  return {
    listBlueprints: {
      handle(call) {
        const shown = blueprints.visibleTo(callerOf(call).scope)
        return success(200, shown, showBlueprintList(shown))
      },
    },
    getBlueprint: {
      handle(call) {
        const blueprint = blueprints.find(callerOf(call).scope, call.parameters['blueprint_id'] ?? '')
        return blueprint
          ? success(200, blueprint, showBlueprint(blueprint))
          : deny(choices, 'blueprint-not-found')
      },
    },
    startOptimization: {
      handle(call) {
        const { scope } = callerOf(call)
        const request = withDefaults(jsonOf(call))
        const { training_documents: documents, ground_truth_data: truths } = request
        if (documents && truths && documents.length !== truths.length)
          return deny(choices, 'ground-truth-length')
        const blueprint = blueprints.add(scope, {
          name: request.name ?? '',
          ...defined({ description: request.description, documentType: request.document_type }),
        })
        return start(scope, blueprint, { request })
      },
    },
    resumeOptimization: {
      handle(call) {
        const { scope } = callerOf(call)
        const { job_id: jobId, blueprint_id: blueprintId } = jsonOf(call)
        if (typeof jobId !== 'string' && typeof blueprintId !== 'string')
          return deny(choices, 'resume-unreadable')
        const earlier = typeof jobId === 'string' ? optimizations.find(scope, jobId) : undefined
        if (typeof jobId === 'string' && !earlier) return deny(choices, 'optimization-not-found')
        if (earlier && earlier.status !== 'failed') return deny(choices, 'resume-not-failed')
        const blueprint = blueprints.find(scope, earlier?.blueprintId ?? String(blueprintId))
        if (!blueprint) return deny(choices, 'blueprint-not-found')
        const latest = optimizations.latestFor(blueprint)
        const activeSchema = activeVersionOf(blueprint)?.schema
        return start(scope, blueprint, defined({ failed: earlier, latest, activeSchema }))
      },
    },
    getOptimizationJob: {
      handle(call) {
        const run = optimizations.find(callerOf(call).scope, call.parameters['job_id'] ?? '')
        return run ? success(200, run, showOptimization(run)) : deny(choices, 'optimization-not-found')
      },
    },
    getOptimizedSchema: {
      handle(call) {
        const run = optimizations.find(callerOf(call).scope, call.parameters['job_id'] ?? '')
        if (!run) return deny(choices, 'optimization-not-found')
        return run.optimizedSchema
          ? success(200, run.optimizedSchema, run.optimizedSchema)
          : deny(choices, 'optimized-schema-not-ready')
      },
    },
  }
}

function withDefaults(request: Partial<OptimizationRequest>): OptimizationRequest {
  return { validation_split: DEFAULT_VALIDATION_SPLIT, ...request }
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
