// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '60d048bf1e6d927d0aae23e92541ec0b387cff43ff72fd722f1d07a771f35d4e',
  files: {
    'specs/extraction/openapi.yaml': 'b3f36e817724f672deca52a72d5dc70bf2838d6f4bd395d5faa907212133d12e',
    'specs/extraction/asyncapi.yaml': 'e953c607516572795b7c28a7872d2fb4f47447729d3c2963799e3f9ce0a7614f',
  },
} as const
