// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '17843fa3d4d732efefb30f59163106c85d463901a2eabf5c889b4f92244939d5',
  files: {
    'specs/extraction/openapi.yaml': '10e7d605b0393d3a272767dd863cf7d3d805d0ee1aef962a11ad1260a3f857a1',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
