import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

import { defineConfig } from 'vitest/config'

import { base } from './vitest.base.ts'

const root = join(import.meta.dirname, '../..')

/** The tests about one service that are outside of its own packages: by folder, the files. */
const outside = {
  specs: (service: string) => [
    'test/contracts.test.ts',
    `test/${service}.test.ts`,
    `test/${service}-*.test.ts`,
  ],
  'packages/emulator': (service: string) => [`test/${service}/**/*.test.ts`],
  'packages/generate': () => ['test/services/**/*.test.ts'],
} satisfies Record<string, (service: string) => string[]>

/** The service that {@link serviceTests} runs the tests of, for the configurations of the folders. */
const variable = 'CONCORD_TESTED_SERVICE'

/**
 * The configuration of the task `test:service` of a client package: all tests of its service in other folders.
 *
 * @param packageFolder The folder of the client package, which has the name of the service.
 */
export function serviceTests(packageFolder: string) {
  process.env[variable] = basename(packageFolder)
  return defineConfig({
    test: {
      ...base.test,
      outputFile: { junit: 'reports/service/junit.xml' },
      projects: Object.keys(outside).map((folder) => join(root, folder)),
    },
  })
}

/**
 * The configuration of a folder with tests about single services. On its own, a folder runs all of its tests. Under turbo it
 * leaves those about a service to the task `test:service` of the client package, so that they run again only if that service
 * has changed.
 */
export function folderTests(folder: keyof typeof outside) {
  const service = process.env[variable]
  const isTurbo = process.env['TURBO_HASH'] !== undefined
  return defineConfig({
    ...base,
    test: {
      ...base.test,
      name: folder,
      ...(service === undefined ? {} : { include: outside[folder](service), provide: { service } }),
      exclude: [
        ...(base.test?.exclude ?? []),
        ...(service === undefined && isTurbo ? servicePackages().flatMap(outside[folder]) : []),
      ],
    },
  })
}

function servicePackages(): string[] {
  const packages = join(root, 'packages')
  return readdirSync(packages).filter((name) => existsSync(join(packages, name, 'vitest.service.config.ts')))
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The only service that tests of every service are about; all of them if undefined. */
    service: string | undefined
  }
}
