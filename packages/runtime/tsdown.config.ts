import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { defineConfig } from 'tsdown'

import { base } from '../../tools/check/tsdown.base.ts'

/** A module and all that it imports at once: types, re-exports and `import()` don't count. */
function imported(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found
  found.add(file)
  const specifiers = readFileSync(file, 'utf8').matchAll(/^import (?!type )[^']*? from '(\..+)'$/gm)
  for (const [, specifier = ''] of specifiers) imported(join(dirname(file), specifier), found)
  return found
}

const core = imported(join(import.meta.dirname, 'src/http/client.ts'))

const options = base({
  index: 'src/index.ts',
  internal: 'src/internal.ts',
  node: 'src/node/index.ts',
  session: 'src/session/index.ts',
  'session-node': 'src/session/node/index.ts',
  'device-flow': 'src/device-flow/index.ts',
  testing: 'src/testing/index.ts',
  // The modules that the package's own `imports` map chooses from, depending on the conditions of the host.
  'default-transport': 'src/http/default-transport.ts',
  'default-transport.node': 'src/node/default-transport.ts',
  'default-socket': 'src/socket/default-socket.ts',
  'default-socket.node': 'src/node/default-socket.ts',
  'no-files': 'src/http/no-files.ts',
  'files.node': 'src/node/files.ts',
  decoders: 'src/http/decoders.ts',
  'decoders.node': 'src/node/decoders.ts',
})

export default defineConfig({
  ...options,
  // A bundler can't split a file. Whatever every client needs is in one, which is all that Node reads for it and has
  // nothing in it that could be loaded later.
  outputOptions: {
    ...options.outputOptions,
    codeSplitting: { groups: [{ name: 'core', test: (id) => core.has(id) }] },
  },
  deps: { neverBundle: [/^#/, /^node:/, /^undici/, 'ws'] },
})
