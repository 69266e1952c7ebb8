// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: '83fcef2995d20421dacdca94c3329fb802bac5d2449c2b8d27c5659d88320318',
  files: {
    'specs/storage-auth/openapi.yaml': '7ac3038d6f912d7ce0d804fb44d7a321bda5dedd460103452da02468b9c711e4',
  },
} as const
