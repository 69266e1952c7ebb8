import type { CallOptions } from '@concord/runtime'
import type { Avatar } from '@concord/media-validators'

import { createAvatar, deleteAvatar, getAvatar, updateAvatar } from './gen/operations.gen.ts'
import { recordOf } from './errors.ts'
import type { InputSettings, MediaInput } from './inputs.ts'
import type { OpenFields } from './open-fields.ts'
import { rejectUnknown, splitRequest, toBody, type BodyContext } from './request-body.ts'
import type { Wire } from './version.ts'

/** A documented voice. Pass another one in `fields`: `{ voice: { ... } }`. @public */
export interface DocumentedVoice {
  readonly type?: 'live-preset' | undefined
  readonly presetId?: 'clara' | 'victoria' | 'vincent' | undefined
}

/** What can be changed about an avatar. @public */
export interface AvatarChanges {
  readonly name?: string | undefined
  readonly voice?: DocumentedVoice | undefined
  /** The system prompt. */
  readonly personality?: string | undefined
  /** The ids of knowledge documents. */
  readonly documentIds?: readonly string[] | undefined
  /** Fields that the documentation does not show, by the names that you know. */
  readonly fields?: OpenFields | undefined
}

/** A new avatar. Only `documentIds` is documented as optional; which of the others are required is not shown. @public */
export interface NewAvatar extends AvatarChanges {
  /** The character: a URL, the URI of an upload, or content, which becomes a data URI or is uploaded. */
  readonly referenceImage?: MediaInput<'image'> | undefined
}

/**
 * An avatar as the service returned it: the documented fields, and all others by their names. Which field holds the
 * identifier is not documented.
 *
 * @public
 */
export type AvatarRecord = Avatar & { readonly [field: string]: unknown }

const CHANGEABLE = [
  'name',
  'voice',
  'personality',
  'documentIds',
] as const satisfies readonly (keyof AvatarChanges)[]
const SHOWN = [...CHANGEABLE, 'referenceImage'] as const satisfies readonly (keyof NewAvatar)[]
const VOICE = ['type', 'presetId'] as const satisfies readonly (keyof DocumentedVoice)[]

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
   * Creates an avatar. Which field of the answer holds its identifier is not documented; the emulator uses `id`.
   *
   * @throws RequestInvalidError before anything is sent: a misspelt field, an input that breaks the documented rules.
   * @throws ContractDriftError when it was created, and the answer has no body, so that its identifier isn't known.
   * @throws SubmissionUncertainError when the answer was lost; it is not created again.
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
   * Changes name, voice, personality or documents. The reference image cannot be changed. Resolves to `undefined` if the
   * service answers without a body, which is not documented.
   *
   * @throws RequestInvalidError before anything is sent, such as for a misspelt field.
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

  #body(
    operation: BodyContext['operation'],
    avatar: AvatarChanges,
    shown: readonly string[],
    { signal }: CallOptions,
  ): Promise<Record<string, unknown>> {
    const split = splitRequest(operation.id, avatar, shown)
    const { voice } = split.known
    if (typeof voice === 'object' && voice !== null)
      rejectUnknown(operation.id, voice as Record<string, unknown>, '/body/voice', VOICE)
    return toBody({ operation, inputs: this.#inputs, signal }, split)
  }
}
