import { join } from 'node:path'

import { startDatabaseServer } from '@concord/database'

import type { Consumer } from '../consumer.ts'
import type { Project } from '../project.ts'
import { nodeVersions } from './nodes.ts'

/** Runs a step with the address of an empty database. */
async function withDatabase(step: (env: { DATABASE_URL: string }) => Promise<unknown>): Promise<void> {
  await using server = await startDatabaseServer()
  await step({ DATABASE_URL: await server.createDatabase() })
}

const consumer = (name: string, what: string, run: (project: Project) => Promise<void>): Consumer => ({
  name,
  what,
  group: 'postgres',
  folder: 'postgres',
  run,
})

/** Fleets, with a database that the workspace starts. */
export const databases: readonly Consumer[] = Object.entries(nodeVersions).map(([version, node]) =>
  consumer(
    version === '26' ? 'postgres' : `postgres-node-${version}`,
    `Node ${version}, require: a fleet of one worker, its limits, and its command line`,
    (project) =>
      withDatabase(async (env) => {
        await project.run(node, ['run.cjs'], { prints: 'all good', env })
        const cli = join(project.modules, '@concord/postgres/dist/cli.js')
        await project.run(node, [cli, 'status'], { prints: '2 of 2 done', env })
      }),
  ),
)
