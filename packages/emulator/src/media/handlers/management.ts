import type { JsonObject } from '../../core/json.ts'
import { success } from '../../core/reply.ts'
import { callerOf, jsonOf } from '../../core/service.ts'
import { deny } from '../denials.ts'
import type { UsageEntry } from '../model.ts'
import type { MediaContext, MediaHandler } from '../state.ts'

export function managementHandlers(context: MediaContext): Record<string, MediaHandler> {
  const { choices, clock, organizations, uploads } = context
  return {
    createUpload: {
      handle(call) {
        const upload = uploads.create(callerOf(call).name, call.baseUrl)
        const { id, uri, uploadUrl } = upload
        const expiresAt = new Date(upload.expiresAt).toISOString()
        return success(200, upload, { id, uri, uploadUrl, expiresAt })
      },
    },
    getOrganization: {
      handle(call) {
        const facts = organizations.factsOf(callerOf(call))
        const { organization, spentUsd, ...limits } = facts
        const { name, credits, tier } = organization
        return success(200, facts, {
          name,
          creditBalance: credits,
          tier: tier.name,
          ...limits,
          monthlyCapUsd: tier.monthlyCapUsd,
          monthSpentUsd: spentUsd,
        })
      },
    },
    queryUsage: {
      handle(call) {
        const range = choices.readBody({ operation: 'queryUsage', body: jsonOf(call), nowMs: clock.now() })
        if (!range) return deny(choices, 'usage-unreadable')
        const { fromMs = -Infinity, toMs = Infinity } = range
        const entries = organizations.usageOf(callerOf(call)).filter(({ at }) => at >= fromMs && at < toMs)
        return success(200, { entries, fromMs, toMs }, showUsage(entries))
      },
    },
  }
}

/** Adds up the credits for each UTC day and model. */
function showUsage(entries: readonly UsageEntry[]): JsonObject {
  const days = new Map<string, Map<string, number>>()
  for (const { at, model, credits } of entries) {
    const day = new Date(at).toISOString().slice(0, 10)
    const models = days.get(day) ?? new Map<string, number>()
    days.set(day, models.set(model, (models.get(model) ?? 0) + credits))
  }
  return {
    days: [...days].map(([date, models]) => ({
      date,
      usage: [...models].map(([model, credits]) => ({ model, credits })),
    })),
  }
}
