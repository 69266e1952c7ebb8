import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

import { defineConfig } from 'vitest/config'

import { base } from './vitest.base.ts'

const root = join(import.meta.dirname, '../..')

/** The tests of a service outside of its packages, by folder. */
const outside = {
  specs: (service: string) => ['test/contracts.test.ts', `test/${service}.test.ts`],
  'packages/emulator': (service: string) => [`test/${service}/**/*.test.ts`],
  'packages/generate': () => ['test/services/**/*.test.ts'],
} satisfies Record<string, (service: string) => string[]>

/** The environment variable that passes the service of {@link serviceTests} to the configurations of the folders. */
const variable = 'CONCORD_TESTED_SERVICE'

/**
 * The configuration of the task `test:service` of a client package: all tests of its service in other folders.
 *
 * @param packageFolder The folder of the client package, which is named after the service.
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
 * The configuration of a folder that has tests of single services. Without turbo, the folder runs all of its tests. With
 * turbo, the task `test:service` of each client package runs the tests of its service, so that they run again only if
 * that service has changed.
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
    /** The only service to test; all of them if undefined. */
    service: string | undefined
  }
}
