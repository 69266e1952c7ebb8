// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Document extraction service',
  version: '0.1.0',
  digest: '36ffdbd3818b977b8796a1af3c329cb9bad1a2f075d08b4cb986ebe93baa207c',
  files: {
    'specs/extraction/openapi.yaml': '4e9e5623997f9e766ec0021a0560c5de7775ef86ea4f143b5b9adf15188989dc',
    'specs/extraction/asyncapi.yaml': 'cd84ad540ceb9ed86f9f10c1903c9d6be8c829c352c31aeaebf052fa74993705',
  },
} as const
