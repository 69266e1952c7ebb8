import { createHash, createHmac } from 'node:crypto'

import type { Clock } from '../core/clock.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { SpeechChoices } from './choices.ts'
import type { SpeechCaller } from './model.ts'

/** How long a JWT lives, as the service's documentation says. */
export const TOKEN_LIFETIME_SECONDS = 30

/** The API keys, and the JWTs that are granted to them. */
export interface Accounts {
  add(key: string): void
  keys(): string[]
  clear(): void
  /** Whom a credential stands for: an API key for the scheme `apiKey`, a JWT for `accessToken`. */
  find(value: string, scheme: string): SpeechCaller | undefined
  /** Issues a JWT, signed with HS256. */
  grant(key: string, lifetimeSeconds: number): string
}

/** Makes an empty set of accounts. */
export function createAccounts(
  clock: Clock,
  random: RandomSource,
  choices: Pick<SpeechChoices, 'tokenClaims'>,
): Accounts {
  const keysById = new Map<string, string>()
  /** Every JWT that was issued: its claims are anybody's choice, so they are not read back. */
  const callers = new Map<string, SpeechCaller>()
  const secret = randomText(random, 32, '0123456789abcdef')
  let grants = 0

  const sign = (text: string): Buffer => createHmac('sha256', secret).update(text).digest()

  return {
    add: (key) => void keysById.set(idOf(key), key),
    keys: () => [...keysById.values()],
    clear() {
      keysById.clear()
      callers.clear()
    },
    find(value, scheme) {
      if (scheme === 'accessToken') return callers.get(value)
      return keysById.has(idOf(value)) ? { key: value } : undefined
    },
    grant(key, lifetimeSeconds) {
      const issuedAtMs = clock.now()
      const expiresAtMs = issuedAtMs + Math.round(lifetimeSeconds * 1000)
      const claims = choices.tokenClaims({ subject: idOf(key), issuedAtMs, expiresAtMs, number: ++grants })
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
      const token = `${text}.${sign(text).toString('base64url')}`
      callers.set(token, { key, expiresAt: expiresAtMs })
      return token
    },
  }
}

function idOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24)
}
