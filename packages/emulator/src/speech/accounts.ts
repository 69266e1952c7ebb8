import { createHash, createHmac } from 'node:crypto'

import { randomText } from '../core/random.ts'
import type { StateTools } from '../core/service-module.ts'
import type { SpeechChoices } from './choices.ts'
import type { SpeechCaller } from './model.ts'

/** The documented lifetime of a JWT. */
export const TOKEN_LIFETIME_SECONDS = 30

/** Stores the API keys, and the JWTs that were granted for these keys. */
export class Accounts {
  readonly #tools: StateTools<SpeechChoices>
  readonly #keysById = new Map<string, string>()
  /** Maps JWTs to callers. The claims can't identify the caller, because `choices.tokenClaims` can change them. */
  readonly #callers = new Map<string, SpeechCaller>()
  readonly #secret: string
  #grants = 0

  constructor(tools: StateTools<SpeechChoices>) {
    this.#tools = tools
    this.#secret = randomText(tools.random, 32, '0123456789abcdef')
  }

  newKey(): string {
    return this.#tools.choices.newApiKey(this.#tools.random)
  }

  add(key: string): void {
    this.#keysById.set(idOf(key), key)
  }

  keys(): string[] {
    return [...this.#keysById.values()]
  }

  clear(): void {
    this.#keysById.clear()
    this.#callers.clear()
  }

  find(value: string, scheme: string): SpeechCaller | undefined {
    if (scheme === 'accessToken') return this.#callers.get(value)
    return this.#keysById.has(idOf(value)) ? { key: value } : undefined
  }

  grant(key: string, lifetimeSeconds: number): string {
    const issuedAtMs = this.#tools.clock.now()
    const expiresAtMs = issuedAtMs + Math.round(lifetimeSeconds * 1000)
    const number = ++this.#grants
    const claims = this.#tools.choices.tokenClaims({ subject: idOf(key), issuedAtMs, expiresAtMs, number })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
    const token = `${text}.${createHmac('sha256', this.#secret).update(text).digest('base64url')}`
    this.#callers.set(token, { key, expiresAt: expiresAtMs })
    return token
  }
}

function idOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24)
}
