import type { JsonObject } from '../core/json.ts'
import type {
  Avatar,
  KnowledgeDocument,
  MediaUpload,
  OrganizationFacts,
  RealtimeSession,
  UsageEntry,
} from './model.ts'

/** The emulator's own names for undocumented fields. The choice `successResponse` can override them. */

export const showUpload = ({ id, uri, uploadUrl, expiresAt }: MediaUpload): JsonObject => ({
  id,
  uri,
  uploadUrl,
  expiresAt: new Date(expiresAt).toISOString(),
})

export const showAvatar = ({ id, fields, documentIds }: Avatar): JsonObject => ({
  id,
  ...fields,
  documentIds: [...documentIds],
})

export const showDocument = ({ id, body }: KnowledgeDocument): JsonObject => ({ ...body, id })

export const showSession = ({ id, status }: RealtimeSession): JsonObject => ({ id, status })

export const showOrganization = ({
  organization,
  concurrency,
  dailyGenerations,
  generationsToday,
  spentUsd,
}: OrganizationFacts): JsonObject => ({
  name: organization.name,
  creditBalance: organization.credits,
  tier: organization.tier.name,
  concurrency,
  dailyGenerations,
  generationsToday,
  monthlyCapUsd: organization.tier.monthlyCapUsd,
  monthSpentUsd: spentUsd,
})

/** Represents usage by day (in UTC) and model. */
export function showUsage(entries: readonly UsageEntry[]): JsonObject {
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
