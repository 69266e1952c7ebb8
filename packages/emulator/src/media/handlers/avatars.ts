import { success, type Reply } from '../../core/reply.ts'
import type { JsonObject } from '../../core/json.ts'
import { bodyOf, callerOf, type MediaCall, type MediaContext, type MediaHandler } from '../state.ts'
import { checkInput } from '../inputs/check-input.ts'
import { KNOWLEDGE_LIMIT_TOKENS } from '../knowledge.ts'
import type { Avatar, MediaOrganization } from '../model.ts'
import { deny } from '../denials.ts'
import { showAvatar } from '../shapes.ts'

function findAvatar(call: MediaCall, { knowledge }: MediaContext): Avatar | undefined {
  return knowledge.findAvatar(callerOf(call).name, call.parameters['id'] ?? '')
}

function documentIdsOf(body: JsonObject): string[] {
  const { documentIds } = body
  return Array.isArray(documentIds) ? documentIds.map(String) : []
}

/** POST /v1/avatars. */
function createAvatar(context: MediaContext): MediaHandler {
  const { choices, knowledge } = context
  return {
    async handle(call) {
      const organization = callerOf(call)
      const { documentIds: _, ...fields } = bodyOf(call)
      const missing = choices.avatars.requiredFields.filter((name) => fields[name] === undefined)
      if (missing.length > 0) return deny(choices, 'avatar-incomplete', { reasons: missing })
      const documentIds = documentIdsOf(bodyOf(call))
      const denial =
        (await denyImage(fields['referenceImage'], organization, context)) ??
        denyDocuments(documentIds, organization, context)
      if (denial) return denial
      const avatar = knowledge.addAvatar(organization.name, fields, documentIds)
      return success(200, avatar, showAvatar(avatar))
    },
  }
}

async function denyImage(
  value: unknown,
  { name }: MediaOrganization,
  { choices, inputs }: MediaContext,
): Promise<Reply | undefined> {
  if (typeof value !== 'string') return undefined
  const field = 'referenceImage'
  const problem = await checkInput({ field, value, kinds: ['image'] }, name, inputs)
  return problem && deny(choices, 'input-rejected', { reasons: [problem.reason] })
}

function denyDocuments(
  documentIds: readonly string[],
  { name }: MediaOrganization,
  { choices, knowledge }: MediaContext,
): Reply | undefined {
  const unknown = documentIds.filter((id) => !knowledge.findDocument(name, id))
  if (unknown.length > 0 && choices.avatars.unknownDocuments === 'rejected')
    return deny(choices, 'documents-unknown', { reasons: unknown })
  const tokens = knowledge.tokensOf(name, documentIds)
  return tokens > KNOWLEDGE_LIMIT_TOKENS
    ? deny(choices, 'knowledge-too-large', { count: tokens, limit: KNOWLEDGE_LIMIT_TOKENS })
    : undefined
}

/** GET /v1/avatars/{id}. */
function getAvatar(context: MediaContext): MediaHandler {
  const { choices } = context
  return {
    handle(call) {
      const avatar = findAvatar(call, context)
      return avatar ? success(200, avatar, showAvatar(avatar)) : deny(choices, 'avatar-not-found')
    },
  }
}

/** PATCH /v1/avatars/{id}. */
function updateAvatar(context: MediaContext): MediaHandler {
  const { choices } = context
  return {
    handle(call) {
      const avatar = findAvatar(call, context)
      if (!avatar) return deny(choices, 'avatar-not-found')
      const { documentIds: sent, referenceImage, ...fields } = bodyOf(call)
      if (referenceImage !== undefined && choices.avatars.changedReferenceImage === 'rejected')
        return deny(choices, 'avatar-image-fixed')
      const documentIds =
        sent === undefined
          ? avatar.documentIds
          : [
              ...(choices.avatars.changedDocuments === 'added' ? avatar.documentIds : []),
              ...documentIdsOf(bodyOf(call)),
            ]
      const denial = sent === undefined ? undefined : denyDocuments(documentIds, callerOf(call), context)
      if (denial) return denial
      avatar.fields = { ...avatar.fields, ...fields }
      avatar.documentIds = documentIds
      return success(200, avatar, showAvatar(avatar))
    },
  }
}

/** DELETE /v1/avatars/{id}. */
function deleteAvatar(context: MediaContext): MediaHandler {
  const { choices, knowledge } = context
  return {
    handle(call) {
      const avatar = findAvatar(call, context)
      if (!avatar) return deny(choices, 'avatar-not-found')
      knowledge.deleteAvatar(avatar)
      return success(200, avatar, {})
    },
  }
}

export function avatarHandlers(context: MediaContext): Record<string, MediaHandler> {
  return {
    createAvatar: createAvatar(context),
    getAvatar: getAvatar(context),
    updateAvatar: updateAvatar(context),
    deleteAvatar: deleteAvatar(context),
  }
}
