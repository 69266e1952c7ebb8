// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. `digest` is the SHA-256 of all files; `files` has the digest of each. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '3baf045c8d9d9125c5ca470af8e1a714ae4cb2a8e704feb42ff954ceafb4626d',
  files: {
    'specs/extraction/openapi.yaml': 'c8e861bed3654e168f93263f45feda44b1bb8e5cc38273d78c6a7abb13b61c05',
    'specs/extraction/asyncapi.yaml': '314b587f1925fc1c1a799320cbb6e78a8160ebf3ad215399fe73ad7a3f4a0899',
  },
} as const
