// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: '4fd5995d7f096023f0bf700ba5a33ce7ed121ef711b97d6bd4ebc9a1e4173676',
  files: {
    'specs/storage-auth/openapi.yaml': '95b925a91f20ef2a660dffbe1701367b79dede2e7b16b2d6ef84a40caff858e2',
  },
} as const
