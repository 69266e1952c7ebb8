import { success } from '../../core/reply.ts'
import { callerOf, type ExtractionContext, type ExtractionHandler } from '../state.ts'
import { showBlueprint, showBlueprintList } from '../views.ts'
import { deny } from '../denials.ts'
import { PIPELINES } from './submission.ts'

/** GET /v1/pipelines. */
function listPipelines(): ExtractionHandler {
  const shown = { pipelines: PIPELINES.map((name) => ({ name })) }
  return { handle: () => success(200, PIPELINES, shown) }
}

/** GET /v1/blueprints/. */
function listBlueprints({ blueprints }: ExtractionContext): ExtractionHandler {
  return {
    handle(call) {
      const shown = blueprints.visibleTo(callerOf(call).scope)
      return success(200, shown, showBlueprintList(shown))
    },
  }
}

/** GET /v1/blueprints/{blueprint_id}. */
function getBlueprint({ blueprints, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle(call) {
      const blueprint = blueprints.find(callerOf(call).scope, call.parameters['blueprint_id'] ?? '')
      return blueprint
        ? success(200, blueprint, showBlueprint(blueprint))
        : deny(choices, 'blueprint-not-found')
    },
  }
}

export function blueprintHandlers(context: ExtractionContext): Record<string, ExtractionHandler> {
  return {
    listPipelines: listPipelines(),
    listBlueprints: listBlueprints(context),
    getBlueprint: getBlueprint(context),
  }
}
