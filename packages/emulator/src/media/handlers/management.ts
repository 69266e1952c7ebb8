import { success } from '../../core/reply.ts'
import { bodyOf, callerOf, type MediaContext, type MediaHandler } from '../state.ts'
import { deny } from '../denials.ts'
import { showOrganization, showUpload, showUsage } from '../shapes.ts'

/** POST /v1/uploads. */
function createUpload({ uploads }: MediaContext): MediaHandler {
  return {
    handle(call) {
      const upload = uploads.create(callerOf(call).name, call.baseUrl)
      return success(200, upload, showUpload(upload))
    },
  }
}

/** GET /v1/organization. */
function getOrganization({ organizations }: MediaContext): MediaHandler {
  return {
    handle(call) {
      const facts = organizations.factsOf(callerOf(call))
      return success(200, facts, showOrganization(facts))
    },
  }
}

/** POST /v1/organization/usage: read-only, despite the method. */
function queryUsage({ choices, clock, organizations }: MediaContext): MediaHandler {
  return {
    handle(call) {
      const range = choices.readBody({ operation: 'queryUsage', body: bodyOf(call), nowMs: clock.now() })
      if (!range) return deny(choices, 'usage-unreadable')
      const { fromMs = -Infinity, toMs = Infinity } = range
      const entries = organizations.usageOf(callerOf(call)).filter(({ at }) => at >= fromMs && at < toMs)
      return success(200, { entries, fromMs, toMs }, showUsage(entries))
    },
  }
}

export function managementHandlers(context: MediaContext): Record<string, MediaHandler> {
  return {
    createUpload: createUpload(context),
    getOrganization: getOrganization(context),
    queryUsage: queryUsage(context),
  }
}
