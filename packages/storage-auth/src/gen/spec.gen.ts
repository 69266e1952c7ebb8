// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. `digest` is the SHA-256 of all files; `files` has the digest of each. */
export const spec = {
  title: 'Storage authentication service',
  version: '0.1.0',
  digest: '4bfe414ec0077942d3e848d89f3fd5ddab857edb450a7a7c2e811f6bc87d6ad6',
  files: {
    'specs/storage-auth/openapi.yaml': '3201b16ab375fc0fa1faad141b24c9da84a2a7a3709e641d06a6097adb7c1045',
  },
} as const
