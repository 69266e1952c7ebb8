// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: 'bb945779273a660ac4c3384167bc7358866508995d87a507b052d2576894660e',
  files: {
    'specs/extraction/openapi.yaml': '916cd2462b08cbb0d411d4cea4d00fce1872922f9137926d9da7d97b9babe233',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
