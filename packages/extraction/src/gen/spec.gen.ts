// Generated from specs/extraction/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: 'fa31fff037e85dd29ae85059810bdbcdf73558d8a916fff7b235bd2e964973fd',
  files: {
    'specs/extraction/openapi.yaml': '9baeed74154fab7ab12c17b2920b4fcb530a74c83d776347cc22c0d8fa4b81a6',
  },
} as const
