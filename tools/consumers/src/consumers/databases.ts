import { join } from 'node:path'

import { startDatabaseServer } from '@concord/database'

import type { Consumer } from '../consumer.ts'
import { nodeVersions } from './nodes.ts'

export const databases: readonly Consumer[] = [
  {
    name: 'postgres',
    what: 'Node 22, 24 and 26, require and import: a fleet of one worker, its limits, and its command line',
    group: 'postgres',
    folder: 'postgres',
    async run(project) {
      await using server = await startDatabaseServer()
      const cli = join(project.modules, '@concord/postgres/dist/cli.js')
      for (const node of Object.values(nodeVersions)) {
        const env = { DATABASE_URL: await server.createDatabase() }
        await project.run(node, ['run.cjs'], { prints: 'all good', env })
        await project.run(node, [cli, 'status'], { prints: '2 of 2 done', env })
      }
    },
  },
]
