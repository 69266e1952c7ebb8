// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '117e5ccf1a76d756c1e8a273934007175685ddfd577b27e9abcbced9549c4ccc',
  files: {
    'specs/speech/openapi.yaml': '65b6f24e7eea49422aaee6d96e0ffcb134459d7991e6b289c6f27f1348eb842d',
    'specs/speech/asyncapi.yaml': 'b93f3f9625ce488e1c2790f3558d35eb61ff0c9273f569d390b7f93bcb1928e0',
  },
} as const
