// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: 'd905e57211398f541a0ac0ef4aea59e8958dff5a711b754ffda5cbba3a03e00c',
  files: {
    'specs/storage-auth/openapi.yaml': '34bcaf9db388f1cf5550824ef67a4a276b919f09f7a57f5da9cdc1de5ee3191b',
  },
} as const
