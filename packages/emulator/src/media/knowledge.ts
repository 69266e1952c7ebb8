import type { Clock } from '../core/clock.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { JsonObject } from '../core/specification.ts'
import type { MediaChoices } from './choices.ts'
import type { Avatar, KnowledgeDocument } from './model.ts'

/** How many tokens of knowledge an avatar may hold, over all of its documents. */
export const KNOWLEDGE_LIMIT_TOKENS = 50_000

/** The avatars and the documents that they know. */
export interface Knowledge {
  addDocument(organization: string, body: JsonObject, text: string): KnowledgeDocument
  findDocument(organization: string, id: string): KnowledgeDocument | undefined
  deleteDocument(document: KnowledgeDocument): void
  documents(): KnowledgeDocument[]
  /** The tokens of several documents; unknown ones hold none. */
  tokensOf(organization: string, documentIds: readonly string[]): number
  addAvatar(organization: string, fields: JsonObject, documentIds: readonly string[]): Avatar
  findAvatar(organization: string, id: string): Avatar | undefined
  deleteAvatar(avatar: Avatar): void
  avatars(): Avatar[]
  clear(): void
}

/** Makes an empty set of avatars and documents. */
export function createKnowledge(clock: Clock, random: RandomSource, choices: MediaChoices): Knowledge {
  const documents = new Map<string, KnowledgeDocument>()
  const avatars = new Map<string, Avatar>()

  function own<T extends { organization: string }>(
    found: T | undefined,
    organization: string,
  ): T | undefined {
    return found?.organization === organization ? found : undefined
  }

  return {
    addDocument(organization, body, text) {
      const id = randomUuid(random)
      const document = {
        id,
        organization,
        text,
        body,
        tokens: choices.countTokens(text),
        createdAt: clock.now(),
      }
      documents.set(id, document)
      return document
    },
    findDocument: (organization, id) => own(documents.get(id), organization),
    deleteDocument(document) {
      documents.delete(document.id)
      if (choices.avatars.deletedDocuments === 'kept') return
      for (const avatar of avatars.values())
        avatar.documentIds = avatar.documentIds.filter((id) => id !== document.id)
    },
    documents: () => [...documents.values()],
    tokensOf: (organization, documentIds) =>
      [...new Set(documentIds)].reduce(
        (sum, id) => sum + (own(documents.get(id), organization)?.tokens ?? 0),
        0,
      ),
    addAvatar(organization, fields, documentIds) {
      const id = randomUuid(random)
      const avatar = { id, organization, fields, documentIds: [...documentIds], createdAt: clock.now() }
      avatars.set(id, avatar)
      return avatar
    },
    findAvatar: (organization, id) => own(avatars.get(id), organization),
    deleteAvatar: (avatar) => void avatars.delete(avatar.id),
    avatars: () => [...avatars.values()],
    clear() {
      documents.clear()
      avatars.clear()
    },
  }
}
