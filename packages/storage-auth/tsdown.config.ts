import { defineConfig } from 'tsdown'

import { client } from '../../tools/check/tsdown.base.ts'

export default defineConfig(
  client({
    index: 'src/index.ts',
    node: 'src/node.ts',
    // The alternatives of the package's `imports`, chosen by the conditions of the host.
    'browser.node': 'src/node/browser-host.ts',
    'browser.none': 'src/no-browser.ts',
  }),
)
