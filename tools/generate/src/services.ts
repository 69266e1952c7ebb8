/** One service that packages are generated for. To add a service, add an entry. */
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

/** All services, in the order in which they are generated. */
export const services: readonly Service[] = [
  {
    name: 'extraction',
    openapi: 'specs/extraction/openapi.yaml',
    asyncapi: 'specs/extraction/asyncapi.yaml',
    apiName: 'ExtractionApi',
    validators: {
      packageName: '@concord/extraction-validators',
      folder: 'packages/extraction-validators/src/gen',
    },
    client: { packageName: '@concord/extraction', folder: 'packages/extraction/src/gen' },
  },
  {
    name: 'media',
    openapi: 'specs/media/openapi.yaml',
    apiName: 'MediaApi',
    validators: { packageName: '@concord/media-validators', folder: 'packages/media-validators/src/gen' },
    client: { packageName: '@concord/media', folder: 'packages/media/src/gen' },
  },
  {
    name: 'storage-auth',
    openapi: 'specs/storage-auth/openapi.yaml',
    apiName: 'StorageAuthApi',
    validators: {
      packageName: '@concord/storage-auth-validators',
      folder: 'packages/storage-auth-validators/src/gen',
    },
    client: { packageName: '@concord/storage-auth', folder: 'packages/storage-auth/src/gen' },
  },
  {
    name: 'speech',
    openapi: 'specs/speech/openapi.yaml',
    asyncapi: 'specs/speech/asyncapi.yaml',
    apiName: 'SpeechApi',
    validators: {
      packageName: '@concord/speech-validators',
      folder: 'packages/speech-validators/src/gen',
    },
    client: { packageName: '@concord/speech', folder: 'packages/speech/src/gen' },
  },
]
