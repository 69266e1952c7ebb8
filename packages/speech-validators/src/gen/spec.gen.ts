// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: 'df93e682cd064124fd189e8ffcd727b02e8091d65babfad088590b6cf300eb9e',
  files: {
    'specs/speech/openapi.yaml': '556caf09eb467c71cfb7f34d1bd3c13ac58f596cf3dcf3ce33479bfba264c787',
    'specs/speech/asyncapi.yaml': 'df2250af541a5bca3e7fd4316247125016c53c597babda3f1d3509333db404d9',
  },
} as const
