import type { JsonObject } from '../../core/json.ts'
import { randomUuid } from '../../core/random.ts'
import { success, type Reply } from '../../core/reply.ts'
import { callerOf, jsonOf } from '../../core/service.ts'
import { deny } from '../denials.ts'
import { checkInput } from '../inputs/check-input.ts'
import type { Avatar, KnowledgeDocument } from '../model.ts'
import { forOwner, tokensOf, type MediaContext, type MediaHandler } from '../state.ts'

const KNOWLEDGE_LIMIT_TOKENS = 50_000

export function avatarHandlers(context: MediaContext): Record<string, MediaHandler> {
  const { choices, avatars } = context
  const forAvatar = forOwner(avatars, () => deny(choices, 'avatar-not-found'))
  return {
    createAvatar: {
      async handle(call) {
        const { documentIds: _, ...fields } = jsonOf(call)
        const missing = choices.avatars.requiredFields.filter((name) => fields[name] === undefined)
        if (missing.length > 0) return deny(choices, 'avatar-incomplete', { reasons: missing })
        const documentIds = documentIdsOf(jsonOf(call))
        const { name } = callerOf(call)
        const denial =
          (await denyImage(fields['referenceImage'], name, context)) ??
          denyDocuments(documentIds, name, context)
        if (denial) return denial
        const avatar: Avatar = { ...newItem(name, context), fields, documentIds }
        avatars.set(avatar.id, avatar)
        return success(200, avatar, showAvatar(avatar))
      },
    },
    getAvatar: forAvatar((avatar) => success(200, avatar, showAvatar(avatar))),
    updateAvatar: forAvatar((avatar, call) => {
      const { documentIds: sent, referenceImage, ...fields } = jsonOf(call)
      if (referenceImage !== undefined && choices.avatars.changedReferenceImage === 'rejected')
        return deny(choices, 'avatar-image-fixed')
      if (sent !== undefined) {
        const kept = choices.avatars.changedDocuments === 'added' ? avatar.documentIds : []
        const documentIds = [...kept, ...documentIdsOf(jsonOf(call))]
        const denial = denyDocuments(documentIds, avatar.organization, context)
        if (denial) return denial
        avatar.documentIds = documentIds
      }
      avatar.fields = { ...avatar.fields, ...fields }
      return success(200, avatar, showAvatar(avatar))
    }),
    deleteAvatar: forAvatar((avatar) => {
      avatars.delete(avatar.id)
      return success(200, avatar, {})
    }),
  }
}

export function documentHandlers(context: MediaContext): Record<string, MediaHandler> {
  const { choices, clock, documents, avatars } = context
  const forDocument = forOwner(documents, () => deny(choices, 'document-not-found'))
  const showDocument = ({ id, body }: KnowledgeDocument): JsonObject => ({ ...body, id })
  return {
    createDocument: {
      handle(call) {
        const body = jsonOf(call)
        const { text } = choices.readBody({ operation: 'createDocument', body, nowMs: clock.now() }) ?? {}
        if (text === undefined) return deny(choices, 'document-unreadable')
        const tokens = choices.countTokens(text)
        const document = { ...newItem(callerOf(call).name, context), text, body, tokens }
        documents.set(document.id, document)
        return success(200, document, showDocument(document))
      },
    },
    getDocument: forDocument((document) => success(200, document, showDocument(document))),
    deleteDocument: forDocument((document) => {
      documents.delete(document.id)
      if (choices.avatars.deletedDocuments === 'taken-out')
        for (const avatar of avatars.values())
          avatar.documentIds = avatar.documentIds.filter((id) => id !== document.id)
      return success(200, document, {})
    }),
  }
}

const showAvatar = ({ id, fields, documentIds }: Avatar): JsonObject => ({
  id,
  ...fields,
  documentIds: [...documentIds],
})

function newItem(organization: string, { random, clock }: MediaContext) {
  return { id: randomUuid(random), organization, createdAt: clock.now() }
}

function documentIdsOf({ documentIds }: JsonObject): string[] {
  return Array.isArray(documentIds) ? documentIds.map(String) : []
}

async function denyImage(
  value: unknown,
  organization: string,
  { choices, inputs }: MediaContext,
): Promise<Reply | undefined> {
  if (typeof value !== 'string') return undefined
  const problem = await checkInput({ field: 'referenceImage', value, kinds: ['image'] }, organization, inputs)
  return problem && deny(choices, 'input-rejected', { reasons: [problem.reason] })
}

function denyDocuments(
  documentIds: string[],
  organization: string,
  { choices, documents }: MediaContext,
): Reply | undefined {
  const unknown = documentIds.filter((id) => documents.get(id)?.organization !== organization)
  if (unknown.length > 0 && choices.avatars.unknownDocuments === 'rejected')
    return deny(choices, 'documents-unknown', { reasons: unknown })
  const tokens = tokensOf({ organization, documentIds }, documents)
  return tokens > KNOWLEDGE_LIMIT_TOKENS
    ? deny(choices, 'knowledge-too-large', { count: tokens, limit: KNOWLEDGE_LIMIT_TOKENS })
    : undefined
}
