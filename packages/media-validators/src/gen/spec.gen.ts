// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: 'e3f18f641476eba5547b362fae48ed5efe9b40da494e4f8197caa806a5f6336a',
  files: { 'specs/media/openapi.yaml': 'caac20a8764964b449dddd47697e0e64abc86c546dc89ce02f78004502c706d9' },
} as const
