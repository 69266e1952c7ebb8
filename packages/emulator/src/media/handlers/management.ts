import { bodyOf, callerOf, succeed, type MediaContext, type MediaHandler } from '../context.ts'
import { refuse } from '../refusals.ts'

/** POST /v1/uploads. */
export function createUpload({ choices, uploads }: MediaContext): MediaHandler {
  return {
    handle(call) {
      const upload = uploads.create(callerOf(call).name, call.baseUrl)
      return succeed(call, choices, choices.showUpload(upload))
    },
  }
}

/** GET /v1/organization. */
export function getOrganization({ choices, organizations }: MediaContext): MediaHandler {
  return {
    handle: (call) => succeed(call, choices, choices.showOrganization(organizations.factsOf(callerOf(call)))),
  }
}

/** POST /v1/organization/usage: a read, in spite of the method. */
export function queryUsage({ choices, clock, organizations }: MediaContext): MediaHandler {
  return {
    handle(call) {
      const range = choices.readUsageQuery(bodyOf(call), clock.now())
      if (!range) return refuse(choices, 'usage-unreadable')
      const entries = organizations
        .usageOf(callerOf(call))
        .filter(({ at }) => at >= range.fromMs && at < range.toMs)
      return succeed(call, choices, choices.showUsage(entries, range))
    },
  }
}
