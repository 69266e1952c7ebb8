import { jsonReply } from '../../core/reply.ts'
import { callerOf, type ExtractionContext, type ExtractionHandler } from '../context.ts'
import { refuse } from '../refusals.ts'
import { PIPELINES } from './submission.ts'

/** GET /v1/pipelines. */
export function listPipelines({ choices }: ExtractionContext): ExtractionHandler {
  return { handle: () => jsonReply(200, choices.showPipelines(PIPELINES)) }
}

/** GET /v1/blueprints/. */
export function listBlueprints({ blueprints, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle(call) {
      const shown = blueprints
        .visibleTo(callerOf(call).scope)
        .filter((blueprint) => choices.blueprintIsShown(blueprint))
      return jsonReply(200, choices.showBlueprintList(shown))
    },
  }
}

/** GET /v1/blueprints/{blueprint_id}. */
export function getBlueprint({ blueprints, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle(call) {
      const blueprint = blueprints.find(callerOf(call).scope, call.parameters['blueprint_id'] ?? '')
      return blueprint && choices.blueprintIsShown(blueprint)
        ? jsonReply(200, choices.showBlueprint(blueprint))
        : refuse(choices, 'blueprint-not-found')
    },
  }
}
