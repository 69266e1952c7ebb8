// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '9bd28a7226bdaf4bc979b28ffa4fe73dc68b21f35ebb85680fd85bb8cb3c93b0',
  files: {
    'specs/speech/openapi.yaml': '3dc25ea2414414872d529bc993ac88277a8473840b34ea8c82851b9b84fe24f9',
    'specs/speech/asyncapi.yaml': 'ec356f4d0d6e94a5b28e10f9537673aa4530178685cac055d6eb3052914ad3a7',
  },
} as const
