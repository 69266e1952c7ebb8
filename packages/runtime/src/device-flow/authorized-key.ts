import { REDACTED } from '../core/redact.ts'
import type { AuthorizedKey } from './options.ts'

/** Holds a key without showing it. */
export class HeldKey implements AuthorizedKey {
  readonly keyPrefix: string | undefined
  readonly #key: string

  constructor(key: string, keyPrefix: string | undefined) {
    this.#key = key
    this.keyPrefix = keyPrefix
  }

  get(): string {
    return this.#key
  }

  toJSON(): Record<string, unknown> {
    return { keyPrefix: this.keyPrefix, key: REDACTED }
  }

  toString(): string {
    return `AuthorizedKey ${JSON.stringify(this)}`
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }
}
