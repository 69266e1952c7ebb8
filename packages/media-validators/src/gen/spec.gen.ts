// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: '24a9b3f6cb33735f9c5b8f3500d271c9d435194e6f3f98992ed9572f3dc77039',
  files: { 'specs/media/openapi.yaml': '0edf130ba6b88cf2d37e2a46793d05c14056bb236c1061d5d779d9f98b2f6cce' },
} as const
