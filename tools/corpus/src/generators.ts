/** The other generators and their peer dependencies, in the compared versions. They are installed on demand. */
export const installed = {
  '@hey-api/openapi-ts': '0.99.0',
  '@kubb/core': '4.39.3',
  '@kubb/plugin-client': '4.39.3',
  '@kubb/plugin-oas': '4.39.3',
  '@kubb/plugin-ts': '4.39.3',
  '@kubb/plugin-zod': '4.39.3',
  axios: '1.21.1',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  typescript: '5.9.3',
  zod: '4.6.7',
} as const

/** The generators, by the names that `generator-process.mjs` knows. `concord` is this repository's. */
export const generators = ['concord', '@hey-api/openapi-ts', 'openapi-typescript', 'orval', 'kubb'] as const

export type GeneratorName = (typeof generators)[number]
