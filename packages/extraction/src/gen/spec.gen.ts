// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '89a3f9e3662b9785524a2ec5a9972b4138cc6c6a20fc48625a8826bd00b1df0b',
  files: {
    'specs/extraction/openapi.yaml': '070779c785913b4999e30ab8c16e841b882e0af69c789fcf5a3f3daded2d90e1',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
