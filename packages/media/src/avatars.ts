import type { CallOptions } from '@concord/runtime'
import { load, type OptionNames } from '@concord/runtime/internal'
import type { Avatar, CreateDocumentRequest, KnowledgeDocument } from '@concord/media-validators'

import { recordOf, invalidRequest } from './errors.ts'
import {
  createAvatar,
  createDocument,
  deleteAvatar,
  deleteDocument,
  getAvatar,
  getDocument,
  updateAvatar,
} from './gen/operations.gen.ts'
import { isContent, type InputSettings, type MediaInput } from './inputs.ts'
import type { BodyContext, FieldNames, OpenFields } from './request-body.ts'
import type { Wire } from './version.ts'

/** A documented voice. Pass any other voice in the avatar's `fields`, as `{ voice: { ... } }`. @public */
export interface DocumentedVoice {
  readonly type?: 'live-preset' | undefined
  readonly presetId?: 'clara' | 'victoria' | 'vincent' | undefined
}

/** The fields of an avatar that can be changed. @public */
export interface AvatarChanges {
  readonly name?: string | undefined
  readonly voice?: DocumentedVoice | undefined
  /** The system prompt. */
  readonly personality?: string | undefined
  /** The ids of knowledge documents. */
  readonly documentIds?: readonly string[] | undefined
  /** Undocumented fields, under the service's names. */
  readonly fields?: OpenFields | undefined
}

/** A new avatar. `documentIds` is optional. The documentation doesn't say whether the other fields are optional too. @public */
export interface NewAvatar extends AvatarChanges {
  /** An image of the avatar: a URL, the URI of an upload, or content, which becomes a data URI or is uploaded. */
  readonly referenceImage?: MediaInput<'image'> | undefined
}

/**
 * An avatar as the service returned it: the documented fields, and all other fields under the service's names. The
 * documentation doesn't say which field holds the id.
 *
 * @public
 */
export type AvatarRecord = Avatar & { readonly [field: string]: unknown }

const CHANGEABLE: OptionNames<Omit<AvatarChanges, 'fields'>> = {
  name: true,
  voice: true,
  personality: true,
  documentIds: true,
}
const SHOWN: OptionNames<Omit<NewAvatar, 'fields'>> = { ...CHANGEABLE, referenceImage: true }
const VOICE: OptionNames<DocumentedVoice> = { type: true, presetId: true }

/** Avatars: characters for real-time conversations. @public */
export class Avatars {
  readonly #wire: Wire
  readonly #inputs: InputSettings

  /** @internal */
  constructor(wire: Wire, inputs: InputSettings) {
    this.#wire = wire
    this.#inputs = inputs
  }

  /**
   * Creates an avatar. The documentation doesn't say which field of the response holds the avatar's identifier; the
   * emulator uses `id`.
   *
   * @param avatar - The documented fields, and others in `fields`.
   * @throws RequestInvalidError before anything is sent, for a misspelled field or an input that breaks the
   *   documented rules.
   * @throws ContractDriftError if the avatar was created, but the response has no body, so its identifier is unknown.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx. The avatar may exist. Another
   *   call could create a second avatar.
   */
  async create(avatar: NewAvatar, options: CallOptions = {}): Promise<AvatarRecord> {
    const body = await this.#body(createAvatar, avatar, SHOWN, options)
    return recordOf(createAvatar.id, await this.#wire.send(createAvatar, { body }, options))
  }

  /** Reads an avatar. */
  get(id: string, options?: CallOptions): Promise<AvatarRecord> {
    return this.#wire.send(getAvatar, { path: { id } }, options)
  }

  /**
   * Changes the name, voice, personality or documents. The reference image can't be changed. Resolves to `undefined` if the
   * service returns no body; the documentation doesn't say whether the response has a body.
   *
   * @throws RequestInvalidError before anything is sent, for example for a misspelled field.
   */
  async update(
    id: string,
    changes: AvatarChanges,
    options: CallOptions = {},
  ): Promise<AvatarRecord | undefined> {
    const body = await this.#body(updateAvatar, changes, CHANGEABLE, options)
    return this.#wire.send(updateAvatar, { path: { id }, body }, options)
  }

  /** Deletes an avatar. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#wire.send(deleteAvatar, { path: { id } }, options)
  }

  async #body(
    operation: BodyContext['operation'],
    avatar: AvatarChanges,
    shown: FieldNames,
    { signal }: CallOptions,
  ): Promise<Record<string, unknown>> {
    const { isRecord, rejectUnknown, splitRequest, toBody } = await load(import('./request-body.ts'), {
      operation: operation.id,
      signal,
    })
    const split = splitRequest(operation.id, avatar, shown)
    const { voice } = split.known
    if (isRecord(voice)) rejectUnknown(operation.id, voice, '/body/voice', VOICE)
    return toBody({ operation, inputs: this.#inputs, signal }, split)
  }
}

/**
 * Knowledge documents, in plain text or Markdown. All documents of an avatar together can have up to 50,000 tokens.
 *
 * @public
 */
export class Documents {
  readonly #wire: Wire

  /** @internal */
  constructor(wire: Wire) {
    this.#wire = wire
  }

  /**
   * Creates a document. The field names are not documented: use the names that the service expects.
   *
   * @param document - The fields, under the service's names.
   * @throws ContractDriftError if the document was created, but the response has no body, so its identifier is unknown.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx. The document may exist. Another
   *   call could create a second document.
   */
  async create(document: CreateDocumentRequest, options?: CallOptions): Promise<KnowledgeDocument> {
    if (typeof document === 'string' || isContent(document))
      throw invalidRequest(
        createDocument.id,
        '/body',
        'must be an object, not the content itself; use the field names that the service expects (they are not documented)',
      )
    return recordOf(createDocument.id, await this.#wire.send(createDocument, { body: document }, options))
  }

  /** Reads a document. */
  get(id: string, options?: CallOptions): Promise<KnowledgeDocument> {
    return this.#wire.send(getDocument, { path: { id } }, options)
  }

  /** Deletes a document. The effect on avatars that use the document is not documented. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#wire.send(deleteDocument, { path: { id } }, options)
  }
}
