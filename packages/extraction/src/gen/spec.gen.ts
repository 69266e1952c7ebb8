// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: 'd881aab96882bbc0882dc499ae4876f118f4ede49ec025664631b88e6bd7b9dd',
  files: {
    'specs/extraction/openapi.yaml': '9e7c897983dc43ebe8f45f2d0bd1a720501ba55f521ae7b9722210a54c847e78',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
