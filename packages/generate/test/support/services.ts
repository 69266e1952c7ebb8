import { join, resolve } from 'node:path'

import { loadConfig } from '../../src/config/load-config.ts'
import { type GeneratedFiles, generateService } from '../../src/generate.ts'
import { Inputs } from '../../src/inputs.ts'
import type { Service } from '../../src/services.ts'

/** The root of the repository. */
export const repository = resolve(import.meta.dirname, '../../../..')

/** The config of the services of this repository. */
export const ownConfig = join(repository, 'tools/generate/concord.config.ts')

/** The services of this repository. */
export const { services } = await loadConfig(ownConfig)

/** The files that are generated for a service, from contracts under a folder. */
export async function filesOf(service: Service, root: string): Promise<GeneratedFiles> {
  const { files } = await generateService(service, new Inputs({ root }))
  return files
}
