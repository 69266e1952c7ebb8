import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'

import { esmExternalRequirePlugin } from 'rolldown/plugins'
import { defineConfig, type Rolldown } from 'tsdown'

import { base, declarations, withoutEnvironment } from '../../tools/check/tsdown.base.ts'

/** A module and all that it imports at once: types, re-exports and `import()` don't count. */
function imported(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found
  found.add(file)
  const specifiers = readFileSync(file, 'utf8').matchAll(/^import (?!type )[^']*? from '(\..+)'$/gm)
  for (const [, specifier = ''] of specifiers) imported(join(dirname(file), specifier), found)
  return found
}

const core = imported(join(import.meta.dirname, 'src/http/client.ts'))

const entry = {
  index: 'src/index.ts',
  internal: 'src/internal.ts',
  node: 'src/node/index.ts',
  session: 'src/session/index.ts',
  'session-node': 'src/session/node/index.ts',
  'device-flow': 'src/device-flow/index.ts',
  workers: 'src/workers/index.ts',
  testing: 'src/testing/index.ts',
  // The modules that the package's own `imports` map chooses from, depending on the conditions of the host.
  'default-transport': 'src/http/default-transport.ts',
  'default-transport.node': 'src/node/transport.ts',
  'default-socket': 'src/socket/default-socket.ts',
  'default-socket.node': 'src/node/ws-socket.ts',
  'default-socket.workers': 'src/workers/upgrade-socket.ts',
  'no-files': 'src/http/no-files.ts',
  'files.node': 'src/node/files.ts',
  decoders: 'src/http/decoders.ts',
  'decoders.node': 'src/node/decoders.ts',
}

/**
 * Parts of undici that are never used here: HTTP/2, and bodies that are a FormData. They would make up three quarters of
 * what is bundled of it.
 */
const unusedOfUndici: Rolldown.Plugin = {
  name: 'unused-of-undici',
  load: {
    filter: { id: /\/undici\/lib\/(?:dispatcher\/client-h2|web\/.*)\.js$/ },
    handler: () => 'module.exports = undefined',
  },
}

// A bundler can't split a file. Whatever every client needs is in one, which is all that Node reads for it and has nothing
// in it that could be loaded later.
const options = base(entry, { groups: [{ name: 'core', test: (id) => core.has(id) }] })

export default defineConfig([
  {
    ...options,
    // undici and ws are CommonJS, and their `require` fails in an ES module that a bundler makes of them. See
    // docs/decisions/0006-modules-of-undici.md.
    deps: { alwaysBundle: [/^undici/, 'ws'], neverBundle: [/^#/], onlyBundle: false },
    define: withoutEnvironment,
    treeshake: { moduleSideEffects: (id) => !id.includes('node_modules') },
    plugins: [
      options.plugins,
      unusedOfUndici,
      esmExternalRequirePlugin({ external: [/^node:/, ...builtinModules] }),
    ],
  },
  { ...declarations(entry), deps: { neverBundle: [/^#/, /^node:/] } },
])
