// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: 'd3515377233168bf1a1a5df5dbd1a417d261c0b7e653fbd64a89d7a87ecc4f17',
  files: {
    'specs/storage-auth/openapi.yaml': '7e07a9c4bdf608d09b3bb476c91e4b6096d1e9cfc82456ac96e3c965488b736e',
  },
} as const
