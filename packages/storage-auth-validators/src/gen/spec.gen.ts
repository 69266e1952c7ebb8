// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: 'c5b1514068c34a1c3ce44e6d2a8d292df005352ed50473fb6a87108d574c3f75',
  files: {
    'specs/storage-auth/openapi.yaml': '9ba7f4a2c5f7bfc622ca545660f4c91d0680a80ef9ecb65120c027a340be5ece',
  },
} as const
