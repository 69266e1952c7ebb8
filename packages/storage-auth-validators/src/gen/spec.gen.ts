// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: '0f7f6308dc6de7ebbbbaaad5338ca18737737f60d6e6aa0a083b19fd727cd477',
  files: {
    'specs/storage-auth/openapi.yaml': 'd7723011d5a8625ee3cdeebc2da866ae01ded7378e2570a80a923298e0a10aee',
  },
} as const
