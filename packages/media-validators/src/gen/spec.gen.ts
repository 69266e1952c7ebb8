// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: 'fafff12658c22c0633779a796f7bcb974876469b7999bf18f0960a7a76b2dbbb',
  files: { 'specs/media/openapi.yaml': 'aedbedd775f3fc0287d081f267ea1db2e2ea173df672af5251a981f7c04917ba' },
} as const
