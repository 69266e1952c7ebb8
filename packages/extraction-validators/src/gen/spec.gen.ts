// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '5ba7630b6ebdd26b7c97c0ac68703ea56a230c20450a0932e409f8fb96ca53d1',
  files: {
    'specs/extraction/openapi.yaml': '5d350d2a1836ffaee0ee95bb56b9cf763dad51b2b89304aa264fad223d64579f',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
