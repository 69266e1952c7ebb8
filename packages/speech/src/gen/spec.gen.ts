// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '8a235eaa8236d95a88e3df40ab7d1d18eac2a31d156500fa7d0c6c57fc70f9a8',
  files: {
    'specs/speech/openapi.yaml': '556caf09eb467c71cfb7f34d1bd3c13ac58f596cf3dcf3ce33479bfba264c787',
    'specs/speech/asyncapi.yaml': '492dd77783217a70fd62f769d8d57fe5bed672ebf47b24de23eaba8ac404f6a4',
  },
} as const
