// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: '8af3a83df15e3a301c8fa7d0b0f72ae80857e81aa5d8a745dba176bd172f3e9b',
  files: { 'specs/media/openapi.yaml': 'e57fd953b37a65a55451fc1684c21f7acf79766fd1b4f0c8ae784bc716def443' },
} as const
