import { success } from '../../core/reply.ts'
import { callerOf } from '../../core/service.ts'
import type { ExtractionContext, ExtractionHandler } from '../state.ts'
import { showBlueprint, showBlueprintList } from '../views.ts'
import { deny } from '../denials.ts'
import { PIPELINES } from './submission.ts'

export function blueprintHandlers({
  blueprints,
  choices,
}: ExtractionContext): Record<string, ExtractionHandler> {
  return {
    listPipelines: {
      handle: () => success(200, PIPELINES, { pipelines: PIPELINES.map((name) => ({ name })) }),
    },
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
  }
}
