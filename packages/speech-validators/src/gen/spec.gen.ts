// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '3d532e833a54310c14348d18e2a1e1ac428de0cf4e3ad01efa6503eab7e38db1',
  files: {
    'specs/speech/openapi.yaml': '54e9d03e453326eec03ddb729bc252f8f255d1ee7b146e63203eb9988f9981d5',
    'specs/speech/asyncapi.yaml': '492dd77783217a70fd62f769d8d57fe5bed672ebf47b24de23eaba8ac404f6a4',
  },
} as const
