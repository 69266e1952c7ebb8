import { builtinModules } from 'node:module'
import { join } from 'node:path'

import { defineConfig, type Rolldown } from 'tsdown'

import { base, declarations, reached, withoutEnvironment } from '../../tools/check/tsdown.base.ts'

const source = (...files: string[]): readonly string[] =>
  files.map((file) => join(import.meta.dirname, 'src', file))

/** The entry points of the package. */
const exported = {
  index: 'src/index.ts',
  internal: 'src/internal.ts',
  node: 'src/node/index.ts',
  session: 'src/session/index.ts',
  'session-node': 'src/session/node/index.ts',
  'device-flow': 'src/device-flow/index.ts',
  workers: 'src/workers/index.ts',
  testing: 'src/testing/index.ts',
}

const entry = {
  ...exported,
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
 * Parts of undici that this package never uses: HTTP/2, and bodies that are a FormData. If they were included, they would
 * make up three quarters of the bundled undici.
 */
const unusedOfUndici: Rolldown.Plugin = {
  name: 'unused-of-undici',
  load: {
    filter: { id: /\/undici\/lib\/(?:dispatcher\/client-h2|web\/.*)\.js$/ },
    handler: () => 'module.exports = undefined',
  },
}

/**
 * Loads the modules of Node that undici and ws require. Neither `require` nor `import` can do that: once a bundler has
 * turned undici and ws into ES modules, `require` fails there; and an `import` of `node:http` takes ten times as long,
 * because it reads every export, `WebSocket` included. See docs/decisions/0006-modules-of-undici.md.
 */
const requiredOfNode: Rolldown.Plugin = {
  name: 'required-of-node',
  transform: {
    filter: { id: /\/node_modules\/(?:undici|ws)\// },
    // Without a map of the change, since no map shows the sources of dependencies.
    handler: (code) => ({
      code: code.replaceAll(
        BUILTIN_REQUIRED,
        (_, _quote, name: string) => `process.getBuiltinModule('node:${name}')`,
      ),
      map: null,
    }),
  },
}

const BUILTIN_REQUIRED = new RegExp(`\\brequire\\((['"])(?:node:)?(${builtinModules.join('|')})\\1\\)`, 'g')

const shared = {
  define: withoutEnvironment,
  treeshake: { moduleSideEffects: (id: string) => !id.includes('node_modules') },
}
const alwaysBundle = [/^undici/, 'ws']

/** For bundlers, which can't split a file: the file with the code that every client needs contains no other code. */
const core = reached(source('http/client.ts'))
const split = base(entry, { groups: [{ name: 'core', test: (id) => core.has(id) }] })

/** For Node, which reads few large files faster than many small ones: one file with all that a client imports, and polling. */
const imported = reached(source('index.ts', 'internal.ts', 'device-flow/index.ts', 'poll/poll-engine.ts'))
const whole = base(exported, { groups: [{ name: 'whole', test: (id) => imported.has(id) }] })

export default defineConfig([
  {
    ...split,
    ...shared,
    deps: { alwaysBundle, neverBundle: [/^#/, /^node:/], onlyBundle: false },
    plugins: [split.plugins, unusedOfUndici, requiredOfNode],
  },
  {
    ...whole,
    ...shared,
    format: 'esm',
    outDir: 'dist/for-node',
    deps: { alwaysBundle, neverBundle: [/^node:/], onlyBundle: false },
    inputOptions: { resolve: { conditionNames: ['node', '@concord/source', 'import', 'default'] } },
    plugins: [unusedOfUndici, requiredOfNode],
  },
  { ...declarations(entry), deps: { neverBundle: [/^#/, /^node:/] } },
])
