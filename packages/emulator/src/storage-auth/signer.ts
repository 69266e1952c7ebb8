import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'

import type { RandomSource } from '../core/random.ts'

/** The prefix of an Ed25519 private key in PKCS #8, before the 32 bytes of the key (RFC 8410, section 7). */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex')
const KEY_ID = 'emulator'

/** Signs access tokens. The key comes from the random source, so that the same seed results in the same key. */
export class Signer {
  readonly #privateKey: KeyObject

  constructor(random: RandomSource) {
    const bytes = Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256))
    const key = Buffer.concat([PKCS8_START, bytes])
    this.#privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  }

  sign(claims: Record<string, unknown>): string {
    const header = { alg: 'EdDSA', typ: 'JWT', kid: KEY_ID }
    const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    const signature = sign(null, Buffer.from(parts.join('.')), this.#privateKey)
    return [...parts, signature.toString('base64url')].join('.')
  }

  keySet(): { keys: object[] } {
    const jwk = createPublicKey(this.#privateKey).export({ format: 'jwk' })
    return { keys: [{ ...jwk, kid: KEY_ID, alg: 'EdDSA', use: 'sig' }] }
  }
}
