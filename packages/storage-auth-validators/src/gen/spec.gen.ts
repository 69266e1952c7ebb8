// Generated from specs/storage-auth/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: '963f10ddd533d83e7403b634692b73bf154e0caf61bc217ddfd476f6ccdd35c8',
  files: {
    'specs/storage-auth/openapi.yaml': '6624650f8ecf72265379d0ee0036ad55cfcc027e3b22a75adb498765262810d1',
  },
} as const
