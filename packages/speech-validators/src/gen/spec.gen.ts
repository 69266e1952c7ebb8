// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '5315df45a4365d0ca9837c0bd93075aa53bb3dcf18b8bd74f0e09eb8d11b2203',
  files: {
    'specs/speech/openapi.yaml': 'b797afb3ee06274dfbdf4c4ceb3ed5914c49351dd80f9902f3be3f2ca54f489b',
    'specs/speech/asyncapi.yaml': 'd68eff2d91fa64e66ab65133ea1798d39263957fec7c36f3e519838578b7781d',
  },
} as const
