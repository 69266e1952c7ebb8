// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: '1add9bd25881a87d34f10f504257ebbe53128420671b96892afe4aa7be609d12',
  files: {
    'specs/storage-auth/openapi.yaml': 'a8c050f1ccb9411930aa723eb48a08831abeddd29159660bd5e8bee9b826a21a',
  },
} as const
