import { jsonReply } from '../../core/reply.ts'
import type { ExtractionContext, ExtractionHandler } from '../context.ts'
import { refuse } from '../refusals.ts'
import { PIPELINES } from './submission.ts'

/** GET /v1/pipelines. */
export function listPipelines({ choices }: ExtractionContext): ExtractionHandler {
  return { handle: () => jsonReply(200, choices.showPipelines(PIPELINES)) }
}

/** GET /v1/blueprints/. */
export function listBlueprints({ blueprints, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle: ({ caller }) => jsonReply(200, choices.showBlueprintList(blueprints.visibleTo(caller!.scope))),
  }
}

/** GET /v1/blueprints/{blueprint_id}. */
export function getBlueprint({ blueprints, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle({ caller, parameters }) {
      const blueprint = blueprints.find(caller!.scope, parameters['blueprint_id'] ?? '')
      return blueprint
        ? jsonReply(200, choices.showBlueprint(blueprint))
        : refuse(choices, 'blueprint-not-found')
    },
  }
}
