// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. `digest` is the SHA-256 of all files; `files` has the digest of each. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '05fc0c3c0162d378aef1865d8408695bc10afccb08eea38deb656176bd1ebb1f',
  files: {
    'specs/speech/openapi.yaml': 'a55347bd08c1c40db268c4779cfc096cdcb61144c83c139a2f25797da5a2a990',
    'specs/speech/asyncapi.yaml': 'b93eb9dd1d4fbb6cec77b467b568770a97f2981b526e360b9066c703071468f9',
  },
} as const
