// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: 'bbc4723e6de4c8f83de7881b7e7b549f2b64937754a1296024f5a764321c0454',
  files: {
    'specs/storage-auth/openapi.yaml': '298c4e6b13780f00f6340e5fb49484e146fe1aede11841f1f836eae1d66c96af',
  },
} as const
