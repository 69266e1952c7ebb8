/** One service that files are generated for. Paths are relative to the root of the config. */
export interface Service {
  readonly name: string
  /** The OpenAPI document, or the AsyncAPI document of a service that has no other. */
  readonly openapi: string
  /** The AsyncAPI document beside it; services without pushed events have none. */
  readonly asyncapi?: string
  readonly overlays?: readonly string[]
  /** Where the documents are written with their overlays applied. */
  readonly overlaid?: { readonly openapi?: string; readonly asyncapi?: string }
  /** The name of the interface with one method per operation. */
  readonly apiName: string
  /** The name of the client class. Without it, the class is written by hand. */
  readonly className?: string
  /** The package and the folder of types and schemas. Without a package, they are in the folder of the client. */
  readonly validators: { readonly packageName?: string; readonly folder: string }
  readonly client: { readonly folder: string }
  /** The module with a generated passage, if any. */
  readonly index?: string
  /** The README with a generated passage, if any. */
  readonly readme?: string
  readonly strict?: boolean
  /** The least percentage of places that are kept exactly. */
  readonly minFidelity?: number
  readonly allowHosts?: readonly string[]
  /** How generated files name each other; `.ts` if it is missing. */
  readonly importExtension?: '.ts' | '.js'
  /** Whether schemas have explicit types. */
  readonly isolatedDeclarations?: boolean
}

/** The package that the generated clients run on. */
export const runtimePackage = '@concord/runtime'
/** The part of the runtime that is for generated code and hand-written clients alone. */
export const runtimeInternals = '@concord/runtime/internal'

/** Where the files of the client import types from. */
export function typesModule({ validators }: Service): string {
  return validators.packageName ?? './types.gen.ts'
}

/** Where the files of the client load schemas from. */
export function schemasModule({ validators }: Service): string {
  return validators.packageName ?? './schemas.gen.ts'
}

/** The folders that hold nothing but generated files of a service. */
export function foldersOf({ client, validators }: Service): readonly string[] {
  return [...new Set([validators.folder, client.folder])]
}

/** The contracts of a service. */
export function contractsOf({ openapi, asyncapi }: Service): readonly string[] {
  return asyncapi === undefined ? [openapi] : [openapi, asyncapi]
}

/** `StorageAuth` for `storage-auth`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
