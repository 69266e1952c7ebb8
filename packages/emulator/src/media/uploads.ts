import type { Clock } from '../core/clock.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { MediaChoices } from './choices.ts'
import type { MediaUpload } from './model.ts'

/** The ephemeral uploads. */
export interface Uploads {
  create(organization: string, baseUrl: string): MediaUpload
  /** By the token in the address that takes the bytes. */
  byToken(token: string): MediaUpload | undefined
  /** By what an input carries; only while it lives, and for the organization that made it. */
  byUri(uri: string, organization: string): MediaUpload | undefined
  isExpired(upload: MediaUpload): boolean
  all(): MediaUpload[]
  clear(): void
}

/** Makes an empty set of uploads. */
export function createUploads(clock: Clock, random: RandomSource, choices: MediaChoices): Uploads {
  const byToken = new Map<string, MediaUpload>()
  const byUri = new Map<string, MediaUpload>()
  const isExpired = (upload: MediaUpload) => clock.now() >= upload.expiresAt
  return {
    create(organization, baseUrl) {
      const id = randomText(random, 24, '0123456789abcdef')
      const token = randomText(random, 32, '0123456789abcdef')
      const upload: MediaUpload = {
        id,
        organization,
        uri: `${choices.uploads.scheme}://${id}`,
        uploadUrl: baseUrl + choices.uploads.path.replace('{token}', token),
        expiresAt: clock.now() + choices.uploads.lifetimeMs,
      }
      byToken.set(token, upload)
      byUri.set(upload.uri, upload)
      return upload
    },
    byToken: (token) => byToken.get(token),
    byUri(uri, organization) {
      const upload = byUri.get(uri)
      return upload?.organization === organization && !isExpired(upload) ? upload : undefined
    },
    isExpired,
    all: () => [...byUri.values()],
    clear() {
      byToken.clear()
      byUri.clear()
    },
  }
}
