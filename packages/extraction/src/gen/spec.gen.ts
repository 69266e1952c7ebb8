// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '746d8773c0d46e8821a6da1ce39cf66e694987d0b441a39b0b67c001e80e9847',
  files: {
    'specs/extraction/openapi.yaml': 'dea6b792fc0dd95677a8736d800de4da0ee06ef959296cc346cd3f25997dbb4d',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
