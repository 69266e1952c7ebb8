import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { ServiceConfig, SplitOutput } from '@concord/generate'

/** The generator's configuration for a service in `specs/`. */
export interface OwnService extends ServiceConfig {
  readonly openapi: string
  readonly output: SplitOutput
}

/** Returns the services with a contract in `specs/`, sorted by name. */
export function servicesIn(root: string): readonly OwnService[] {
  const specs = join(root, 'specs')
  return readdirSync(specs)
    .filter((name) => existsSync(join(specs, name, 'openapi.yaml')))
    .toSorted()
    .map((name) => {
      const asyncapi = `specs/${name}/asyncapi.yaml`
      const [index, readme] = [`packages/${name}/src/index.ts`, `packages/${name}/README.md`]
      return {
        name,
        openapi: `specs/${name}/openapi.yaml`,
        ...(existsSync(join(root, asyncapi)) && { asyncapi }),
        output: {
          client: `packages/${name}/src/gen`,
          validators: `packages/${name}-validators/src/gen`,
          validatorsPackage: `@concord/${name}-validators`,
        },
        className: false,
        strict: true,
        importExtension: '.ts',
        ...(existsSync(join(root, index)) && { index }),
        ...(existsSync(join(root, readme)) && { readme }),
      }
    })
}

/** Returns the paths of a service's contract files, relative to the root of the repository. */
export function contractFiles({ openapi, asyncapi }: OwnService): readonly string[] {
  return asyncapi === undefined ? [openapi] : [openapi, asyncapi]
}
