// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '9e2c9a01f8679fe392abc2612ebe610f483df246fa6b8d3cf2388dd6f755591f',
  files: {
    'specs/extraction/openapi.yaml': '59aae94750575ec4e46c1c8df970dd699ab5dc97a84e0b5452f1dab1c8573e07',
    'specs/extraction/asyncapi.yaml': 'cd84ad540ceb9ed86f9f10c1903c9d6be8c829c352c31aeaebf052fa74993705',
  },
} as const
