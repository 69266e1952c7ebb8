// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '3c9a5b1bd706fc86f9bc27ad1af1857188da79d8b6011ad18a7279864696f6a4',
  files: {
    'specs/speech/openapi.yaml': '1761ec97ea2ad5f51cb1e5310a81e1d39ddf014a2dcac4e5b410864f6aa59693',
    'specs/speech/asyncapi.yaml': 'ec356f4d0d6e94a5b28e10f9537673aa4530178685cac055d6eb3052914ad3a7',
  },
} as const
