// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '5763d8efe9f8d179f36ad6bb321cb160822e56d58ac71e5b71fdedc6b57ae1ef',
  files: {
    'specs/speech/openapi.yaml': '54e9d03e453326eec03ddb729bc252f8f255d1ee7b146e63203eb9988f9981d5',
    'specs/speech/asyncapi.yaml': 'df2250af541a5bca3e7fd4316247125016c53c597babda3f1d3509333db404d9',
  },
} as const
