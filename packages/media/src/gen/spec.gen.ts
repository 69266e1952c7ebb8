// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: 'ad42667ed1f36d56df3037f03be02fc329151ec9298ff48fca45ae7751e7a6bb',
  files: { 'specs/media/openapi.yaml': '7e8a2046712e286359132cf7ee1cae11d236625293fb53af60106b8dd3ce8191' },
} as const
