// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: 'c6b2c4538471457da5a2af9334ff86775653bfac17dd1955c81ad0c57024927a',
  files: {
    'specs/storage-auth/openapi.yaml': '2efb353edd41b5d0eb7a821136b828cedcb65dff8835ac01da3e421669e42280',
  },
} as const
