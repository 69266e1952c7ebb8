import type { CallOptions } from '@concord/runtime'
import type { CreateDocumentRequest, KnowledgeDocument } from '@concord/media-validators'

import { recordOf, refused } from './errors.ts'
import { createDocument, deleteDocument, getDocument } from './gen/operations.gen.ts'
import { isContent } from './open-fields.ts'
import type { Wire } from './version.ts'

/** Knowledge documents, in plain text or Markdown. An avatar holds up to 50,000 tokens of them. @public */
export class Documents {
  readonly #wire: Wire

  /** @internal */
  constructor(wire: Wire) {
    this.#wire = wire
  }

  /**
   * Creates a document. The names of its fields are not documented: pass the ones that you know.
   *
   * @throws ContractDriftError when it was created, and the answer has no body, so that its identifier isn't known.
   * @throws SubmissionUncertainError when the answer was lost; it is not created again.
   */
  async create(document: CreateDocumentRequest, options?: CallOptions): Promise<KnowledgeDocument> {
    if (typeof document === 'string' || isContent(document))
      throw refused(
        createDocument.id,
        '/body',
        'is the text itself; the names of the fields are not documented, so pass an object with those that you know',
      )
    return recordOf(createDocument.id, await this.#wire.send(createDocument, { body: document }, options))
  }

  /** Reads a document. */
  get(id: string, options?: CallOptions): Promise<KnowledgeDocument> {
    return this.#wire.send(getDocument, { path: { id } }, options)
  }

  /** Deletes a document. What becomes of an avatar that has it is not documented. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#wire.send(deleteDocument, { path: { id } }, options)
  }
}
