// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.

/** Returns whether a number is an integer. Unlike zod's `int()`, this accepts integers of any size, such as 1e300. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value)
}

/** Returns whether a string is a UUID (RFC 9562) of any version, in upper or lower case, also after `urn:uuid:`. */
export function isUuid(value: string): boolean {
  return /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
}
