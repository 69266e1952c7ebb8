// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: '7afa90ac65cfdeefb929b80f5d3c317c4158ba9ab7541e6cb68dd47296731912',
  files: {
    'specs/storage-auth/openapi.yaml': '8048e3ccf031fcf28e32d9811c8630526908f334e68637300d4c09ad47149585',
  },
} as const
