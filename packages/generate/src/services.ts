import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** One service that packages are generated for. */
export interface Service {
  readonly name: string
  /** Files relative to the root of the repository. */
  readonly openapi: string
  /** Services without pushed events have none. */
  readonly asyncapi?: string
  /** The name of the interface with one method per operation. */
  readonly apiName: string
  readonly validators: { readonly packageName: string; readonly folder: string }
  readonly client: { readonly packageName: string; readonly folder: string }
}

/** The package that the generated clients run on. */
export const runtimePackage = '@concord/runtime'
/** The part of the runtime that is for generated code and hand-written clients alone. */
export const runtimeInternals = '@concord/runtime/internal'

/** The services with a contract in `specs/`, by name. The names of everything that is generated for them follow from it. */
export function servicesIn(root: string): readonly Service[] {
  const specs = join(root, 'specs')
  return readdirSync(specs)
    .filter((name) => existsSync(join(specs, name, 'openapi.yaml')))
    .toSorted()
    .map((name) => {
      const asyncapi = `specs/${name}/asyncapi.yaml`
      return {
        name,
        openapi: `specs/${name}/openapi.yaml`,
        ...(existsSync(join(root, asyncapi)) ? { asyncapi } : {}),
        apiName: `${pascalCase(name)}Api`,
        validators: {
          packageName: `@concord/${name}-validators`,
          folder: `packages/${name}-validators/src/gen`,
        },
        client: { packageName: `@concord/${name}`, folder: `packages/${name}/src/gen` },
      }
    })
}

/** `StorageAuth` for `storage-auth`. */
function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** All services of this repository, in the order in which they are generated. */
export const services: readonly Service[] = servicesIn(join(import.meta.dirname, '../../..'))
