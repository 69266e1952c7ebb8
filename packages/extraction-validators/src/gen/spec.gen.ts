// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: 'a2831d683b8b351c9f9c31eca0e7ce65fbc18367cd34763fa1b29e8238bd3d01',
  files: {
    'specs/extraction/openapi.yaml': '9baeed74154fab7ab12c17b2920b4fcb530a74c83d776347cc22c0d8fa4b81a6',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
