// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: '2f81d6d1ca3f73e41bb97bfae087a2514c39b410cc04b89494adf42dd2cfed24',
  files: {
    'specs/storage-auth/openapi.yaml': '27ce28f0832ae77a0c61c85265b38fa0384f5103a87128b47085e803816fe027',
  },
} as const
