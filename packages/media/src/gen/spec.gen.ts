// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: 'd7edea00d07d5e078190796dd4a261b363b0702c1057f43642c2f2426403a104',
  files: { 'specs/media/openapi.yaml': '49ea4c836a6e816e5a799a476678323293b63c31aca054f21a15e65dd5d96f21' },
} as const
