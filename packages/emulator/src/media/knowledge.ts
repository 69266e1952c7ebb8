import type { Clock } from '../core/clock.ts'
import type { JsonObject } from '../core/json.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { MediaChoices } from './choices.ts'
import type { Avatar, KnowledgeDocument } from './model.ts'

/** The maximum number of tokens in all documents of an avatar. */
export const KNOWLEDGE_LIMIT_TOKENS = 50_000

/** The avatars and their knowledge documents. */
export class Knowledge {
  readonly #tools: { clock: Clock; random: RandomSource; choices: MediaChoices }
  readonly #documents = new Map<string, KnowledgeDocument>()
  readonly #avatars = new Map<string, Avatar>()

  constructor(tools: { clock: Clock; random: RandomSource; choices: MediaChoices }) {
    this.#tools = tools
  }

  addDocument(organization: string, body: JsonObject, text: string): KnowledgeDocument {
    const tokens = this.#tools.choices.countTokens(text)
    const document = { ...this.#newItem(organization), text, body, tokens }
    this.#documents.set(document.id, document)
    return document
  }

  findDocument(organization: string, id: string): KnowledgeDocument | undefined {
    return ownedBy(organization, this.#documents.get(id))
  }

  deleteDocument(document: KnowledgeDocument): void {
    this.#documents.delete(document.id)
    if (this.#tools.choices.avatars.deletedDocuments === 'kept') return
    for (const avatar of this.#avatars.values())
      avatar.documentIds = avatar.documentIds.filter((id) => id !== document.id)
  }

  documents(): KnowledgeDocument[] {
    return [...this.#documents.values()]
  }

  /** Returns the total number of tokens in documents. Unknown documents have none. */
  tokensOf(organization: string, documentIds: readonly string[]): number {
    return [...new Set(documentIds)].reduce(
      (sum, id) => sum + (this.findDocument(organization, id)?.tokens ?? 0),
      0,
    )
  }

  addAvatar(organization: string, fields: JsonObject, documentIds: readonly string[]): Avatar {
    const avatar = { ...this.#newItem(organization), fields, documentIds: [...documentIds] }
    this.#avatars.set(avatar.id, avatar)
    return avatar
  }

  findAvatar(organization: string, id: string): Avatar | undefined {
    return ownedBy(organization, this.#avatars.get(id))
  }

  deleteAvatar(avatar: Avatar): void {
    this.#avatars.delete(avatar.id)
  }

  avatars(): Avatar[] {
    return [...this.#avatars.values()]
  }

  clear(): void {
    this.#documents.clear()
    this.#avatars.clear()
  }

  #newItem(organization: string): { id: string; organization: string; createdAt: number } {
    const { random, clock } = this.#tools
    return { id: randomUuid(random), organization, createdAt: clock.now() }
  }
}

function ownedBy<T extends { organization: string }>(
  organization: string,
  found: T | undefined,
): T | undefined {
  return found?.organization === organization ? found : undefined
}
