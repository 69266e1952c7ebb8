import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

import type { Clock } from '../core/clock.ts'
import { isObject } from '../core/json.ts'
import { randomText, type RandomSource } from '../core/random.ts'
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
export function createAccounts(clock: Clock, random: RandomSource): Accounts {
  const keysById = new Map<string, string>()
  const secret = randomText(random, 32, '0123456789abcdef')
  let grants = 0

  const sign = (text: string): Buffer => createHmac('sha256', secret).update(text).digest()

  function findToken(token: string): SpeechCaller | undefined {
    const [head = '', body = '', signature = '', ...rest] = token.split('.')
    const given = Buffer.from(signature, 'base64url')
    const right = sign(`${head}.${body}`)
    if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    const key = isObject(claims) ? keysById.get(String(claims['sub'])) : undefined
    return key === undefined || !isObject(claims)
      ? undefined
      : { key, expiresAt: Math.round(Number(claims['exp']) * 1000) }
  }

  return {
    add: (key) => void keysById.set(idOf(key), key),
    keys: () => [...keysById.values()],
    clear: () => keysById.clear(),
    find(value, scheme) {
      if (scheme === 'accessToken') return findToken(value)
      return keysById.has(idOf(value)) ? { key: value } : undefined
    },
    grant(key, lifetimeSeconds) {
      // To the millisecond, so that a token lives exactly as long as was granted. RFC 7519 allows fractions of seconds.
      const iat = clock.now() / 1000
      const exp = (clock.now() + lifetimeSeconds * 1000) / 1000
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: idOf(key), iat, exp, jti: String(++grants) })}`
      return `${text}.${sign(text).toString('base64url')}`
    },
  }
}

function idOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24)
}
