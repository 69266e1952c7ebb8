import { defineConfig } from 'tsdown'

import { client } from '../../tools/check/tsdown.base.ts'

export default defineConfig(
  client({
    index: 'src/index.ts',
    node: 'src/node.ts',
    // What the package's own `imports` choose between, by the conditions of the host.
    'browser.node': 'src/node/browser-host.ts',
    'browser.none': 'src/no-browser.ts',
  }),
)
