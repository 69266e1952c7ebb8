// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '12bde7156f9c9b37f1370dcd056c602ede46f7003421b0a6f5bac52db25a220c',
  files: {
    'specs/extraction/openapi.yaml': '17d42b695d5c74beec231bd0e26283f962e12b657e76806a5427ba9d29369fe1',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
