/** The scheme of an authorization with user name and password (RFC 7617), as a prefix. */
export const BASIC = 'Basic '

/** Returns the password in the value of a Basic credential. */
export function decodeBasic(value: string): string {
  const bytes = Uint8Array.from(atob(value), (byte) => byte.charCodeAt(0))
  return new TextDecoder().decode(bytes).replace(/^[^:]*:/, '')
}

/** Returns the secrets inside a credential's value, which a service could quote in an error. */
export function partsOf(
  credential: { readonly prefix?: string } | undefined,
  value: string,
): readonly string[] {
  if (credential?.prefix !== BASIC) return []
  try {
    return [decodeBasic(value)]
  } catch {
    return [] // A value of the caller's own that isn't base64.
  }
}
