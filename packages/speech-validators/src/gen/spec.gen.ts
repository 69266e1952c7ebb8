// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: 'cd5a828d5c49287d9f14b80ae043f20516e42d7df37a6de6cb46d5778b396bff',
  files: {
    'specs/speech/openapi.yaml': '59f14bfdcf3e30915171fddea5c54823d5acef9074ad6c50d0b303f7ee9f1773',
    'specs/speech/asyncapi.yaml': 'd68eff2d91fa64e66ab65133ea1798d39263957fec7c36f3e519838578b7781d',
  },
} as const
