import { createPrivateKey, createPublicKey } from 'node:crypto'
import { exportJWK, SignJWT, type JWK } from 'jose'

import type { RandomSource } from '../core/random.ts'

export interface Signer {
  sign(claims: Record<string, unknown>): Promise<string>
  /** Returns the public key as a JSON Web Key Set. */
  keySet(): Promise<{ keys: JWK[] }>
}

/** The prefix of an Ed25519 private key in PKCS #8, before the 32 bytes of the key (RFC 8410, section 7). */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex')
const KEY_ID = 'emulator'

/** Creates a signer whose key comes from the random source, so that the same seed results in the same key. */
export function createSigner(random: RandomSource): Signer {
  const bytes = Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256))
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_START, bytes]),
    format: 'der',
    type: 'pkcs8',
  })
  return {
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: KEY_ID }).sign(privateKey),
    async keySet() {
      const jwk = await exportJWK(createPublicKey(privateKey))
      return { keys: [{ ...jwk, kid: KEY_ID, alg: 'EdDSA', use: 'sig' }] }
    },
  }
}
