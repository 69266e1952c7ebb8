import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Consumer } from '../consumer.ts'

const testVitest =
  (file: string): Consumer['run'] =>
  async (project) => {
    const receipt = readFileSync(join(project.folder, '../shared/receipt.png')).toString('base64')
    const env = { CONCORD_RECEIPT: receipt }
    await project.node([project.file('vitest', 'vitest.mjs'), 'run', file], { env })
  }

/** Test runners and what people mock with. */
export const testRunners: readonly Consumer[] = [
  {
    name: 'jest',
    what: 'jest 30 as it comes (CommonJS): all services, over HTTP, sockets and in memory; a PDF',
    group: 'tests',
    folder: 'jest',
    run: async (project) =>
      void (await project.node([project.file('jest', 'bin', 'jest.js'), '--no-watchman', 'node'])),
  },
  {
    name: 'jest-jsdom',
    what: 'jest 30 with jest-fixed-jsdom: an upload of a File',
    group: 'tests',
    folder: 'jest',
    run: async (project) =>
      void (await project.node([project.file('jest', 'bin', 'jest.js'), '--no-watchman', 'jsdom'])),
  },
  ...['node', 'jsdom', 'happy-dom'].map((environment): Consumer => ({
    name: `vitest-${environment}`,
    what: `vitest 5 with ${environment}: uploads of a File, bytes and a Blob over three transports; all services`,
    group: 'tests',
    folder: 'vitest',
    run: testVitest(`${environment}.test.ts`),
  })),
]
