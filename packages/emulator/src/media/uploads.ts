import { randomText } from '../core/random.ts'
import type { MediaTools } from './choices.ts'
import type { MediaUpload } from './model.ts'

export class Uploads {
  readonly #tools: MediaTools
  readonly #byToken = new Map<string, MediaUpload>()
  readonly #byUri = new Map<string, MediaUpload>()

  constructor(tools: MediaTools) {
    this.#tools = tools
  }

  create(organization: string, baseUrl: string): MediaUpload {
    const { clock, random, choices } = this.#tools
    const { scheme, path, lifetimeMs } = choices.uploads
    const id = randomText(random, 24, '0123456789abcdef')
    const token = randomText(random, 32, '0123456789abcdef')
    const upload: MediaUpload = {
      id,
      organization,
      uri: `${scheme}://${id}`,
      uploadUrl: baseUrl + path.replace('{token}', token),
      expiresAt: clock.now() + lifetimeMs,
    }
    this.#byToken.set(token, upload)
    this.#byUri.set(upload.uri, upload)
    return upload
  }

  byToken(token: string): MediaUpload | undefined {
    return this.#byToken.get(token)
  }

  byUri(uri: string, organization: string): MediaUpload | undefined {
    const upload = this.#byUri.get(uri)
    return upload?.organization === organization && !this.isExpired(upload) ? upload : undefined
  }

  isExpired({ expiresAt }: MediaUpload): boolean {
    return this.#tools.clock.now() >= expiresAt
  }

  all(): MediaUpload[] {
    return [...this.#byUri.values()]
  }

  clear(): void {
    this.#byToken.clear()
    this.#byUri.clear()
  }
}
