import { join } from 'node:path'

import { missingSources } from '../../../check/src/packed/source-maps.ts'
import { publishedFolders } from '../../../check/src/packed/pack.ts'
import { root } from '../../../check/src/workspace.ts'
import type { Consumer } from '../consumer.ts'
import { installs } from '../groups.ts'

/** The paths of the supported Node versions. */
export const nodeVersions: Readonly<Record<string, string>> = {
  '22': join(root, 'tools/nodes/node_modules/node-22/bin/node'),
  '24': join(root, 'tools/nodes/node_modules/node-24/bin/node'),
  '26': join(root, 'node_modules/node/bin/node'),
}

/** The oldest supported Node: code that runs there runs on all versions. */
export const oldestNode = nodeVersions['22'] ?? ''

export const nodes: readonly Consumer[] = [
  ...Object.entries(nodeVersions).flatMap(([version, node]): Consumer[] => [
    {
      name: `node-${version}`,
      what: `Node ${version}, import: all services, over HTTP and sockets, and in memory`,
      group: 'node',
      folder: 'node',
      isQuick: true,
      run: (project) => project.run(node, ['run.mjs'], { prints: 'all good' }),
    },
    {
      name: `node-${version}-require`,
      what: `Node ${version}, require: all services; import and require share one copy of each package`,
      group: 'node',
      folder: 'node',
      isQuick: true,
      run: (project) => project.run(node, ['run.cjs'], { prints: 'all good' }),
    },
  ]),
  {
    name: 'sources',
    what: 'Editors and debuggers find the sources of all packages',
    group: 'node',
    folder: 'node',
    isQuick: true,
    run(project) {
      const missing = publishedFolders()
        .filter(({ name }) => name !== '@concord/specs' && installs('node', name))
        .flatMap(({ name }) =>
          missingSources(join(project.modules, name)).map((problem) => `${name}: ${problem}`),
        )
      if (missing.length > 0) throw new Error(missing.join('\n'))
    },
  },
  {
    name: 'node-test-contract',
    what: "Node's test runner with describeContract: checks mocked responses",
    group: 'node',
    folder: 'node',
    isQuick: true,
    run: (project) =>
      project.node(['--test', '--test-reporter=tap', 'contract.test.mjs'], {
        prints: '# pass 3',
      }),
  },
  {
    name: 'zod-3-code',
    what: 'Code that imports zod/v3, in a project with the validators (zod 4)',
    group: 'node',
    folder: 'node',
    isQuick: true,
    run: (project) => project.node(['zod-3.mjs'], { prints: 'all good' }),
  },
  {
    name: 'zod-3',
    what: 'A client in a project with zod 3',
    group: 'zod-3',
    folder: 'deno',
    run: (project) => project.node(['zod-3.mjs'], { prints: 'all good' }),
  },
]
