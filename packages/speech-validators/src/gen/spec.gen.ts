// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '6babbc6b75d367dbf878c0a1034467cfc1522081393ab1dec67d06fdc3074959',
  files: {
    'specs/speech/openapi.yaml': 'dd3c102b7cdac6954cac551f58b2e6b44547b81197ab22f2dded67f36932f918',
    'specs/speech/asyncapi.yaml': 'b8a816f4b534e2debf9036c0c4519f6c1f84c930e9f2aacc591c0a47c43965a9',
  },
} as const
