// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '12e83b4deedbd5bf78292c8916b41852092b24eee67936f22bab5c7ff117f5ab',
  files: {
    'specs/speech/openapi.yaml': '54e9d03e453326eec03ddb729bc252f8f255d1ee7b146e63203eb9988f9981d5',
    'specs/speech/asyncapi.yaml': 'd546956e6147ee23d332614078e340f72d9e10526791efd30b1ac20bff3ccca4',
  },
} as const
