import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { toWav } from '../../../../examples/support/wav.ts'
import { servicesIn } from '../../../generate/src/services.ts'
import type { Consumer } from '../consumer.ts'
import type { Project } from '../project.ts'
import { oldestNode } from './nodes.ts'

const services = servicesIn(join(import.meta.dirname, '../../../..')).map(({ name }) => name)

/** The consumer `readmes` tests the READMEs of these packages. */
const names = ['runtime', 'emulator', ...services.flatMap((name) => [name, `${name}-validators`])]

/**
 * Returns the environment variables that make the clients use the served emulator, such as
 * `WEATHER_STATIONS_BASE_URL` for the `baseUrl` of `weatherStations`.
 */
async function environment(project: Project): Promise<Record<string, string>> {
  const served = await project.served()
  const variable = (text: string) => text.replaceAll(/[A-Z]/g, '_$&').toUpperCase()
  const entries = Object.entries(served).flatMap(([service, members]) =>
    Object.entries(members).map(([name, value]) => [
      `${service === 'storageAuth' ? 'STORAGE' : variable(service)}_${variable(name)}`,
      String(value),
    ]),
  )
  return Object.fromEntries(entries)
}

export const readmes: readonly Consumer[] = [
  {
    name: 'readmes',
    what: `The first TypeScript block of each of these READMEs runs as pasted: ${names.join(', ')}`,
    group: 'node',
    folder: 'readme',
    isQuick: true,
    async run(project) {
      copyFileSync(join(project.folder, '../shared/invoice.pdf'), join(project.folder, 'invoice.pdf'))
      const second = { samples: new Uint8Array(32_000), samplesPerSecond: 16_000 }
      writeFileSync(join(project.folder, 'meeting.wav'), toWav(second))
      const env = await environment(project)
      await Promise.all(names.map((name) => paste(project, name, env)))
    },
  },
  {
    name: 'readme-postgres',
    what: 'The first TypeScript block of the README of postgres runs as pasted, on an empty database',
    group: 'postgres',
    folder: 'readme',
    async run(project) {
      const { startDatabaseServer } = await import('../../../database/src/index.ts')
      await using server = await startDatabaseServer()
      await paste(project, 'postgres', { DATABASE_URL: await server.createDatabase() })
    },
  },
]

/** Runs the first TypeScript block of a README unchanged, on the oldest supported Node. */
async function paste(project: Project, name: string, env: Readonly<Record<string, string>>): Promise<void> {
  writeFileSync(join(project.folder, `${name}.ts`), firstCode(project, name, /^```ts\n([\s\S]*?)^```$/m))
  await project.run(oldestNode, [`${name}.ts`], { env })
}

/** Returns the first code block that matches `pattern` in the README of an installed package. */
export function firstCode(project: Project, name: string, pattern: RegExp): string {
  const page = readFileSync(join(project.modules, '@concord', name, 'README.md'), 'utf8')
  const code = pattern.exec(page)?.[1]
  if (code === undefined) throw new Error(`the README of ${name} has no code`)
  return code
}
