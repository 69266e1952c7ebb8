// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: '0106f6d4eafc44ca4cc8eda79ae68809f78f2ba6e4e73ca2ca5c47a13daac2cd',
  files: { 'specs/media/openapi.yaml': '8bf72b3dbd71cfcf18a11ec1d77a17398ce26c0644d82d12b82cac513fa34958' },
} as const
