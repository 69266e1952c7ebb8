/** One service of a config. Paths are relative to the root of the config. */
export interface Service {
  readonly name: string
  /** The OpenAPI document, or the AsyncAPI document if the service has no OpenAPI document. */
  readonly openapi: string
  /** The AsyncAPI document of a service that also has an OpenAPI document. */
  readonly asyncapi?: string
  readonly overlays?: readonly string[]
  /** The paths for copies of the documents with their overlays applied. */
  readonly overlaid?: { readonly openapi?: string; readonly asyncapi?: string }
  /** The name of the interface with one method per operation. */
  readonly apiName: string
  /** The name of the generated client class. Undefined if the class is written by hand. */
  readonly className?: string
  /** The package and the folder of the types and schemas. Without `packageName`, `folder` is the client's folder. */
  readonly validators: { readonly packageName?: string; readonly folder: string }
  readonly client: { readonly folder: string }
  /** The hand-written index module with a generated section. */
  readonly index?: string
  /** The hand-written README with a generated section. */
  readonly readme?: string
  readonly strict?: boolean
  /** The minimum percentage of places (schemas, parameters, bodies and responses) that must be generated exactly. */
  readonly minFidelity?: number
  readonly allowHosts?: readonly string[]
  /**
   * The extension in imports between generated files. Undefined means `.ts`. A config without this option gets `.js`.
   */
  readonly importExtension?: '.ts' | '.js'
  /** Whether schemas have explicit types. */
  readonly isolatedDeclarations?: boolean
}

export const runtimePackage = '@concord/runtime'
/** The runtime's entry point that is reserved for generated code and hand-written clients. */
export const runtimeInternals = '@concord/runtime/internal'

/** The module from which the client's files import types. */
export function typesModule({ validators }: Service): string {
  return validators.packageName ?? './types.gen.ts'
}

/** The module from which the client's files load schemas. */
export function schemasModule({ validators }: Service): string {
  return validators.packageName ?? './schemas.gen.ts'
}

export function foldersOf({ client, validators }: Service): readonly string[] {
  return [...new Set([validators.folder, client.folder])]
}

export function contractsOf({ openapi, asyncapi }: Service): readonly string[] {
  return asyncapi === undefined ? [openapi] : [openapi, asyncapi]
}

/** Returns `StorageAuth` for `storage-auth`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
