// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: '7b7e8a80aa320588a7e266b8e99276f32754bfdab1aee1d9a39661372d4e0c5c',
  files: { 'specs/media/openapi.yaml': 'f2a47b8dc53931dac76c8a023e29916e6c9cadcd9298f7248ad5bcb5663ccba8' },
} as const
