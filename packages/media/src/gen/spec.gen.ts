// Generated from specs/media/openapi.yaml by tools/generate. Do not edit.

/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */
export const spec = {
  title: 'Media generation service',
  version: '0.1.0',
  digest: 'a2a10d30cc9f4faff2471b9233a98f8c372d81952089467dcf206aff828bb329',
  files: { 'specs/media/openapi.yaml': 'cf26a7a481aa3cb49627bbe3a8ffc61fa9a8756e421fdb88fd5168cf326ed3fd' },
} as const
