/** The third-party packages that each group of consumers installs. */
export const groups = {
  node: { zod: '4.6.7', '@types/node': '26.6.6' },
  'zod-3': { zod: '3.25.76' },
  typescript: {
    zod: '4.6.7',
    '@types/node': '22.19.1',
    'typescript-5.7': 'npm:typescript@5.7.3',
    'typescript-5.9': 'npm:typescript@5.9.3',
    'typescript-6.0': 'npm:typescript@6.0.3',
    'typescript-7.0': 'npm:typescript@7.0.2',
  },
  tests: {
    zod: '4.6.7',
    jest: '30.5.2',
    'jest-environment-jsdom': '30.5.2',
    'jest-fixed-jsdom': '0.0.11',
    vitest: '5.1.0',
    vite: '8.3.8',
    jsdom: '31.0.1',
    'happy-dom': '21.0.4',
    msw: '3.0.5',
    'msw-2': 'npm:msw@2.15.0',
    undici: '8.12.4',
    'playwright-core': '1.65.1',
  },
  bundlers: {
    zod: '4.6.7',
    esbuild: '0.28.2',
    rollup: '4.68.7',
    '@rollup/plugin-node-resolve': '16.0.3',
    '@rollup/plugin-commonjs': '29.0.3',
    vite: '8.3.8',
    webpack: '5.112.2',
  },
  runtimes: { miniflare: '4.20260730.0', esbuild: '0.28.2', deno: '2.9.6', bun: '1.4.5' },
  generate: { zod: '4.6.7', '@types/node': '26.6.6', typescript: '7.0.2' },
  postgres: { pg: '8.23.1' },
  next: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
} satisfies Record<string, Record<string, string>>

export type GroupName = keyof typeof groups

/**
 * Returns whether a group installs our package `name`. Only `generate` installs the generator, and only some groups
 * install `@concord/contract`, because both packages have many dependencies. `zod-3` leaves out the validators, which
 * don't support zod 3.
 */
export function installs(group: GroupName, name: string): boolean {
  // Every group installs the emulator, because the first group that runs starts it for all groups.
  const generating = ['generate', 'runtime', 'contract', 'specs', 'emulator'].map(
    (each) => `@concord/${each}`,
  )
  if (group === 'generate') return generating.includes(name)
  if (group === 'postgres')
    return ['@concord/postgres', '@concord/media', ...generating.slice(1)].includes(name)
  if (name === '@concord/generate') return false
  if (name === '@concord/contract') return ['node', 'typescript', 'tests'].includes(group)
  return group !== 'zod-3' || !name.endsWith('-validators')
}
