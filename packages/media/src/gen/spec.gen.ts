// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: '79c6b279b7a7dddf3065e56ea2d223c4841274eab93b226f0b40fe2ad8ffb485',
  files: { 'specs/media/openapi.yaml': '2ba45509c4fef02df68dcd9dc6681de8cd477ad2840ac4cadf5220f02caad7da' },
} as const
