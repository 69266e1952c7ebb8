import { OptionsError } from '@concord/runtime'
import { requiredString } from '@concord/runtime/internal'
import { compactDecrypt, CompactEncrypt, decodeProtectedHeader } from 'jose'

/** A key that encrypts stored sessions. @public */
export interface EncryptionKey {
  /** The name of the key. The name is stored, unencrypted, with each session that the key encrypts. */
  readonly id: string
  /**
   * 32 random bytes, or these bytes as a base64 or base64url string. To create a secret, run
   * `openssl rand -base64 32`.
   */
  readonly secret: Uint8Array | string
}

/** Encrypts sessions for the database, and decrypts them. */
export interface Sealing {
  seal(text: string): Promise<string>
  /** @throws OptionsError. The error never contains the tokens of the session. */
  open(body: string): Promise<string>
}

const KEY_BYTES = 32

/**
 * Encrypts with the first key, and decrypts with any of the keys. The format is JSON Web Encryption (RFC 7516) with
 * AES-256-GCM.
 *
 * @param name - The name of the session. It is encrypted together with the session. `open` rejects a body that
 *   contains another name, because that body was copied from another row.
 */
export function sealing(keys: readonly EncryptionKey[] | undefined, name: string): Sealing {
  if (keys === undefined) {
    return {
      seal: async (text) => text,
      async open(body) {
        if (!isSealed(body)) return body
        throw new OptionsError(
          'keys',
          `\`keys\` is missing: the stored session ${JSON.stringify(name)} is encrypted with the key ${JSON.stringify(idOf(body))}.`,
          'Pass that key in `keys`. If the key is lost, pass another `name` and sign in again.',
        )
      },
    }
  }
  const secrets = secretsOf(keys)
  const [[currentId, current]] = [...secrets] as [[string, Uint8Array]]
  return {
    async seal(text) {
      const plain = new TextEncoder().encode(JSON.stringify({ name, text }))
      return new CompactEncrypt(plain)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: currentId })
        .encrypt(current)
    },
    async open(body) {
      if (!isSealed(body)) throw notEncrypted(name)
      const id = idOf(body)
      const secret = secrets.get(id)
      if (secret === undefined) throw noKey(name, id, [...secrets.keys()])
      let plain: Uint8Array
      try {
        const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
        plain = (await compactDecrypt(body, secret, options)).plaintext
      } catch (error) {
        throw wrongKey(name, id, error)
      }
      const content = JSON.parse(new TextDecoder().decode(plain)) as { name: string; text: string }
      if (content.name !== name) throw wrongKey(name, id, undefined)
      return content.text
    },
  }
}

function secretsOf(keys: readonly EncryptionKey[]): ReadonlyMap<string, Uint8Array> {
  if (!Array.isArray(keys) || keys.length === 0)
    throw new OptionsError(
      'keys',
      'must be a list of at least one key.',
      'Pass a list of keys, or omit `keys` to store sessions unencrypted.',
    )
  const secrets = new Map<string, Uint8Array>()
  for (const [index, { id, secret }] of (keys as readonly EncryptionKey[]).entries()) {
    requiredString(id, `keys[${index}].id`, 'Pass a name for the key, such as a date.')
    if (secrets.has(id))
      throw new OptionsError(
        `keys[${index}].id`,
        'is also the id of another key.',
        'Pass each key only once, and use a different id for each key.',
      )
    const bytes = typeof secret === 'string' ? Buffer.from(secret, 'base64') : secret
    if (!(bytes instanceof Uint8Array) || bytes.length !== KEY_BYTES)
      throw new OptionsError(
        `keys[${index}].secret`,
        `must be ${KEY_BYTES} bytes, or these bytes as a base64 string.`,
        'Create a secret with `openssl rand -base64 32`, and keep it outside the database.',
      )
    secrets.set(id, bytes)
  }
  return secrets
}

/** Encrypted sessions are compact JWEs, which start with `eyJ` (`{"` in base64url). Other sessions start with `{`. */
const isSealed = (body: string): boolean => body.startsWith('eyJ')

function idOf(body: string): string {
  try {
    return String(decodeProtectedHeader(body).kid)
  } catch {
    return '(unreadable)'
  }
}

function noKey(name: string, id: string, ids: readonly string[]): OptionsError {
  return new OptionsError(
    'keys',
    `The stored session ${JSON.stringify(name)} is encrypted with the key ${JSON.stringify(id)}, but \`keys\` contains only ${ids.map((each) => JSON.stringify(each)).join(', ')}.`,
    `Add the key ${JSON.stringify(id)} at the end of \`keys\`. You can remove it once every session has been refreshed.`,
  )
}

function wrongKey(name: string, id: string, cause: unknown): OptionsError {
  return new OptionsError(
    'keys',
    `\`keys\` cannot decrypt the stored session ${JSON.stringify(name)}: the secret of the key ${JSON.stringify(id)} isn't the secret that encrypted the session, or the row was changed.`,
    'Pass the original secret of this key. If the secret is lost or the row was changed, delete the row of the session and sign in again.',
    { cause },
  )
}

function notEncrypted(name: string): OptionsError {
  return new OptionsError(
    'keys',
    `\`keys\` was passed, but the stored session ${JSON.stringify(name)} is not encrypted.`,
    'Delete the row of the session and sign in again, or pass another `name`.',
  )
}
