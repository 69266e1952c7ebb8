// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: '38b7afb63047c7341f86d1e640a5074a8f48ef22b293cda96637ad272e1c0418',
  files: { 'specs/media/openapi.yaml': '153c69df5c55ffd60dddb0c7a3069b89bd6131980b3d5a138d6c5047aa65f3af' },
} as const
