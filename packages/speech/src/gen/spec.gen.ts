// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. `digest` is the SHA-256 of all files, `files` has that of each. */
export const spec = {
  title: 'Speech service',
  version: '0.1.0',
  digest: '235a2a2453af076e8d64ac0eaac28cf19db69d19dd5adb5fdda664666ddc8846',
  files: {
    'specs/speech/openapi.yaml': 'a55347bd08c1c40db268c4779cfc096cdcb61144c83c139a2f25797da5a2a990',
    'specs/speech/asyncapi.yaml': '472466e9ef86738da7f5916e3ef3cbd73ce256b83884a394a604a06e8e5010f2',
  },
} as const
