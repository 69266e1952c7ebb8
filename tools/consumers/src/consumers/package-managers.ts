import { installAndRun, packageManagers, tarballInstallation } from '../../../release/src/package-managers.ts'
import { type LocalRelease, releaseLocally } from '../../../release/src/local-release.ts'
import { type Registry, startRegistry } from '../../../release/src/registry.ts'
import type { Consumer } from '../consumer.ts'
import { Unavailable } from '../unavailable.ts'

let release: Promise<LocalRelease> | undefined
let others: Promise<Registry> | undefined

/** Publishes the next release to a local registry. This registry proxies all other packages. */
const released = (): Promise<LocalRelease> => (release ??= releaseLocally({ proxied: true }))
/** Returns a registry without our packages. */
const withoutOurs = (): Promise<Registry> => (others ??= startRegistry({ proxied: true }))

/** The packages that a project needs to process documents, and to test itself with the emulator. */
const NEEDED = ['runtime', 'extraction', 'specs', 'emulator'].map((name) => `@concord/${name}`)

export const installers: readonly Consumer[] = packageManagers.flatMap((manager): Consumer[] => {
  const name = manager.name.toLowerCase().replace(' ', '-')
  return [
    {
      name,
      what: `${manager.name} installs the next release from a registry, and the project reads a document`,
      group: 'node',
      folder: 'node',
      run: async () => {
        const { registry } = await released()
        const packages = ['@concord/extraction', '@concord/emulator']
        await online(() => installAndRun({ manager, environment: registry.environment, packages }))
      },
    },
    {
      name: `${name}-tarballs`,
      what: `${manager.name} installs tarballs as docs/releasing.md says, and the project reads a document`,
      group: 'node',
      folder: 'node',
      run: async () => {
        const needed = (await released()).releases.filter((packed) => NEEDED.includes(packed.name))
        const { environment } = await withoutOurs()
        await online(() => installAndRun(tarballInstallation(manager, needed, environment)))
      },
    },
  ]
})

/** @throws Unavailable if `work` fails because this machine is offline. */
async function online(work: () => Promise<void>): Promise<void> {
  await work().catch((error: Error) => {
    const isOffline = /\b(?:ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN)\b/.test(error.message)
    throw isOffline ? new Unavailable(error.message.split('\n')[0] ?? '') : error
  })
}

export async function closeRegistries(): Promise<void> {
  await (await release?.catch(() => undefined))?.close()
  await (await others)?.close()
}
