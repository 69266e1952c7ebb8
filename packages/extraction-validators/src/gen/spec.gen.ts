// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '8487388db64d8b60dec2aa037dd60da4d8a215a7da5ae1e2a1be4bd5128e55f6',
  files: {
    'specs/extraction/openapi.yaml': '6a3e8b0179d964d9d0d875576daa64e2342c2f6fe30843ae3aa9b94e2fe82c5b',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
