// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: '063c3a69e7a0b8e2bdd0c8ad8609797d373c6b8916e5b6b32ae335bcbf2616b2',
  files: { 'specs/media/openapi.yaml': 'bf2698fd4e0a362134e2c96f878440eea3901e48a20853448570e0064038aa20' },
} as const
