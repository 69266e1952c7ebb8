// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: 'd561359b4a83ad579f1e34b54e5a04567aafb44e4a12066162b6930dd37f4205',
  files: { 'specs/media/openapi.yaml': '062b76055c90f70186ec6a7904b19f2f6906fab145a709de50222b7f5df31bcc' },
} as const
