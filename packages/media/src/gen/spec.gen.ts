// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. `digest` is the SHA-256 of all files; `files` has the digest of each. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: 'f11ed96b3aa9b0d81958ad9275514b4ef7068b79171f05fab15d136f834f9a23',
  files: { 'specs/media/openapi.yaml': '95f89a47b8ff16d3b96f43985c437c4ebd586d5fb77050a25716adcaf0a4aef1' },
} as const
