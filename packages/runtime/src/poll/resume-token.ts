import { OptionsError } from '../core/errors.ts'

/** The content of a resume token. @public */
export interface ResumeTokenContent {
  /** Which kind of operation it belongs to, such as `service.job`. */
  readonly kind: string
  /** The service's id for the operation. */
  readonly id: string
  /**
   * Anything else that is needed to find the operation again. Unknown fields are kept, so that an older version can read
   * a token and write it again without losing them.
   */
  readonly extra?: Readonly<Record<string, unknown>>
}

const VERSION = 1
const FORM = /^cr([1-9]\d{0,5})\.([A-Za-z0-9_-]+)\.([0-9a-z]+)$/

/**
 * Writes a resume token: a string of letters, digits, `-`, `_` and `.`, which fits into a URL, a file name or a database
 * column. It names the operation and is useless without the credential. `extra` must contain no secrets.
 *
 * @public
 */
export function writeResumeToken(content: ResumeTokenContent): string {
  const json = JSON.stringify({ ...content.extra, kind: content.kind, id: content.id })
  const payload = toBase64Url(new TextEncoder().encode(json))
  return `cr${VERSION}.${payload}.${checksum(payload)}`
}

/**
 * Reads a resume token.
 *
 * @param kind The expected kind of operation.
 * @throws OptionsError if the token is not complete, is of another kind, or was made by a newer version.
 * @public
 */
export function readResumeToken(token: string, kind: string): ResumeTokenContent {
  const [, version, payload, check] = (typeof token === 'string' && FORM.exec(token)) || []
  if (payload === undefined) throw broken()
  if (Number(version) > VERSION) {
    throw new OptionsError(
      'token',
      `A newer version of this package made the token (token version ${Number(version)}, this one reads up to ${VERSION}).`,
      'Upgrade the package, or resume with the version that made the token.',
    )
  }
  const content = check === checksum(payload) ? readPayload(payload) : undefined
  if (content === undefined) throw broken()
  const { kind: ownKind, id, ...extra } = content
  if (typeof ownKind !== 'string' || typeof id !== 'string' || id === '') throw broken()
  if (ownKind !== kind) {
    throw new OptionsError(
      'token',
      `The token belongs to ${/^[\w.-]{1,60}$/.test(ownKind) ? `'${ownKind}'` : 'another kind of operation'}, not to '${kind}'.`,
      'Resume it with the same client and kind of operation that it was created for.',
    )
  }
  return Object.keys(extra).length === 0 ? { kind, id } : { kind, id, extra }
}

function broken(): OptionsError {
  return new OptionsError(
    'token',
    'The token is not a complete resume token.',
    'Pass the string that resumeToken() returned, unchanged.',
  )
}

function readPayload(payload: string): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(fromBase64Url(payload))
    // Anything but an object lacks the members that are checked next.
    return (JSON.parse(text) as Record<string, unknown> | null) ?? undefined
  } catch {
    return undefined
  }
}

/** FNV-1a over 32 bits: detects a truncated or mistyped token. It doesn't protect against forgery. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(36)
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
