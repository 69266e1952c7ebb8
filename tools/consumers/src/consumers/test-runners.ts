import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { executablePath, missingChromium } from '../../../contract-kit/src/chromium.ts'
import type { Consumer } from '../consumer.ts'
import { Unavailable } from '../unavailable.ts'

const testVitest =
  (file: string): Consumer['run'] =>
  async (project) => {
    const receipt = readFileSync(join(project.folder, '../shared/receipt.png')).toString('base64')
    const env = { CONCORD_RECEIPT: receipt }
    await project.node([project.file('vitest', 'vitest.mjs'), 'run', file], { env })
  }

export const testRunners: readonly Consumer[] = [
  {
    name: 'jest',
    what: 'jest 30 without configuration (CommonJS): all services, over HTTP and sockets; an in-memory emulator',
    group: 'tests',
    folder: 'jest',
    run: (project) => project.node([project.file('jest', 'bin', 'jest.js'), '--no-watchman', '/node.test']),
  },
  {
    name: 'jest-contract',
    what: 'jest 30 with describeContract, without configuration: checks mocked responses',
    group: 'tests',
    folder: 'jest',
    run: (project) =>
      project.node([project.file('jest', 'bin', 'jest.js'), '--no-watchman', 'contract'], {
        prints: 'Tests:       3 passed',
      }),
  },
  {
    name: 'vitest-contract',
    what: 'vitest 5 with describeContract: checks mocked responses',
    group: 'tests',
    folder: 'vitest',
    run: (project) =>
      project.node([project.file('vitest', 'vitest.mjs'), 'run', 'contract.test.ts'], {
        prints: '3 passed',
      }),
  },
  {
    name: 'jest-jsdom',
    what: 'jest 30 with jest-fixed-jsdom: an upload of a File',
    group: 'tests',
    folder: 'jest',
    run: (project) => project.node([project.file('jest', 'bin', 'jest.js'), '--no-watchman', 'jsdom']),
  },
  ...['node', 'jsdom', 'happy-dom'].map((environment): Consumer => ({
    name: `vitest-${environment}`,
    what: `vitest 5 with ${environment}: uploads of a File, bytes and a Blob over three transports; all services`,
    group: 'tests',
    folder: 'vitest',
    run: testVitest(`${environment}.test.ts`),
  })),
  ...['msw-2', 'msw'].map((name): Consumer => ({
    name,
    what: `${name === 'msw' ? 'msw 3' : 'msw 2'} with @concord/emulator/msw: REST, uploads, downloads, faults; sockets in memory`,
    group: 'tests',
    folder: 'msw',
    run: (project) => project.node(['run.mjs', name], { prints: 'all good' }),
  })),
  {
    name: 'undici-mock-agent',
    what: 'A MockAgent of undici 8 as the dispatcher of the default transport',
    group: 'tests',
    folder: 'msw',
    run: (project) => project.node(['mock-agent.mjs'], { prints: 'all good' }),
  },
  {
    name: 'playwright',
    what: "Playwright with Chromium: the emulator responds to a page's requests, including an upload",
    group: 'tests',
    folder: 'playwright',
    async run(project) {
      if (executablePath === undefined) throw new Unavailable(missingChromium)
      const rolldown = project.file('rolldown', 'bin', 'cli.mjs')
      await project.node([rolldown, 'page.js', '--format', 'esm', '--dir', 'out', '--platform', 'browser'])
      await project.node(['run.mjs', executablePath], { prints: 'all good' })
    },
  },
]
