import type { CallOptions } from '@concord/runtime'
import type { Avatar, CreateAvatarRequest, UpdateAvatarRequest } from '@concord/media-validators'

import { refused } from './errors.ts'
import { createAvatar, deleteAvatar, getAvatar, updateAvatar } from './gen/operations.gen.ts'
import { toAddress, type InputSettings, type MediaInput } from './inputs.ts'
import type { Wire } from './version.ts'

/** A new avatar. Only `documentIds` is documented as optional; which of the others are required is not shown. @public */
export interface NewAvatar extends Omit<CreateAvatarRequest, 'referenceImage'> {
  /** The character: a URL, the URI of an upload, or a local file, which becomes a data URI or is uploaded. */
  readonly referenceImage?: MediaInput | undefined
}

/**
 * An avatar as the service answered it: the documented fields, and all others by their names. Where its identifier stands
 * is not documented.
 *
 * @public
 */
export type AvatarRecord = Avatar & { readonly [field: string]: unknown }

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
   * Creates an avatar. Where its identifier stands in the answer is not documented; with the emulator it is `id`.
   *
   * @throws SubmissionUncertainError when the answer was lost; it is not created again.
   */
  async create(avatar: NewAvatar, options: CallOptions = {}): Promise<AvatarRecord> {
    if (typeof avatar !== 'object' || avatar === null)
      throw refused(createAvatar.id, '/body', 'is not an object')
    const { referenceImage, ...rest } = avatar
    const place = { operation: createAvatar.id, path: '/body/referenceImage', signal: options.signal }
    const body: CreateAvatarRequest =
      referenceImage === undefined
        ? rest
        : { ...rest, referenceImage: await toAddress('image', referenceImage, this.#inputs, place) }
    return this.#wire.send(createAvatar, { body }, options)
  }

  /** Reads an avatar. */
  get(id: string, options?: CallOptions): Promise<AvatarRecord> {
    return this.#wire.send(getAvatar, { path: { id } }, options)
  }

  /** Changes name, voice, personality or documents. The reference image cannot be changed. */
  update(id: string, changes: UpdateAvatarRequest, options?: CallOptions): Promise<AvatarRecord> {
    return this.#wire.send(updateAvatar, { path: { id }, body: changes }, options)
  }

  /** Deletes an avatar. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#wire.send(deleteAvatar, { path: { id } }, options)
  }
}
