// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: '71f75ef915939f54e5a168fb2427cf7d918159db7e9a306d8a01c282b60e6ab3',
  files: { 'specs/media/openapi.yaml': '263e25e00f9557dfed7eb6bbbe36abd8d7535e7f8fe758ef63dbf87e20a44897' },
} as const
