// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: 'd3f0ea695df8efc243c579b4a34aa892e2a1c29db48c4a6d23476ce6a6cf2ffd',
  files: {
    'specs/speech/openapi.yaml': 'dd3c102b7cdac6954cac551f58b2e6b44547b81197ab22f2dded67f36932f918',
    'specs/speech/asyncapi.yaml': '8cedd6ba8843a8b4e84c04c875ce7732dc768c0db2d30ce7dfdeaaef5a7719d4',
  },
} as const
