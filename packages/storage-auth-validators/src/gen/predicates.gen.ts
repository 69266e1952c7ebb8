// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.

/** A whole number of any size, as in JSON Schema: 1.0 and 1e300 count too. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value)
}

/** A UUID of any version, in upper or lower case. RFC 9562. */
export function isUuid(value: string): boolean {
  return /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
}
