import { createServer } from 'node:http'

import { type DatabaseServer, startDatabaseServer } from '@concord/database'
import type { TestProject } from 'vitest/node'

/**
 * Runs one database server per test run. It starts when `createDatabase` in `database.ts` is first called, so that tests
 * without a database don't wait for it.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<DatabaseServer> | undefined
  const door = createServer((_, response) => {
    server ??= startDatabaseServer()
    server
      .then((started) => started.createDatabase())
      .then(
        (url) => response.end(url),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  project.provide('databaseServer', `http://127.0.0.1:${(door.address() as { port: number }).port}`)
  return async () => {
    await new Promise((resolve) => door.close(resolve))
    const started = await server?.catch(() => undefined)
    await started?.[Symbol.asyncDispose]()
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly databaseServer: string
  }
}
