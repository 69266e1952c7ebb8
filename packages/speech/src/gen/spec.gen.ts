// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '8cef9660fbbb7248b45ea0981a6cad394333c7365ce2e9fb7fdb846a0e16601f',
  files: {
    'specs/speech/openapi.yaml': '1f2f84c3c427289c0bbef478b19c8f8b9ff97f383b3fa8764ad6ef79d9d06452',
    'specs/speech/asyncapi.yaml': '7119d5e386620aadd54e536ee4f3815c78ef918c2f1c15a6441d5bb992f9b427',
  },
} as const
