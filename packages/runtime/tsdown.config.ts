import { defineConfig } from 'tsdown'

import { base } from '../../tools/check/tsdown.base.ts'

export default defineConfig({
  ...base({
    index: 'src/index.ts',
    node: 'src/node/index.ts',
    session: 'src/session/index.ts',
    'session-node': 'src/session/node/index.ts',
    'device-flow': 'src/device-flow/index.ts',
    testing: 'src/testing/index.ts',
    // What the package's own `imports` choose between, by the conditions of the host.
    'default-transport': 'src/http/default-transport.ts',
    'default-transport.node': 'src/node/default-transport.ts',
    'default-socket': 'src/socket/platform-socket.ts',
    'default-socket.node': 'src/node/default-socket.ts',
    'no-files': 'src/http/no-files.ts',
    'files.node': 'src/node/files.ts',
    decoders: 'src/http/decoders.ts',
    'decoders.node': 'src/node/decoders.ts',
  }),
  deps: { neverBundle: [/^#/, /^node:/, /^undici/, 'ws'] },
})
