import type { ServiceModule } from './core/service-module.ts'
import type { EmulatedExtraction, ServedExtraction } from './extraction/emulated.ts'
import type { ExtractionOptions } from './extraction/options.ts'
import { createExtractionService } from './extraction/service.ts'
import type { EmulatedStorageAuth, ServedStorageAuth } from './storage-auth/emulated.ts'
import type { StorageAuthOptions } from './storage-auth/options.ts'
import { createStorageAuthService } from './storage-auth/service.ts'

/** The services of an emulator: how each is set up, and what it is in process and served. @public */
export interface Services {
  /** Document extraction. */
  extraction: { options: ExtractionOptions; emulated: EmulatedExtraction; served: ServedExtraction }
  /** Storage authentication. */
  storageAuth: { options: StorageAuthOptions; emulated: EmulatedStorageAuth; served: ServedStorageAuth }
}

/** The name of a service. @public */
export type ServiceName = keyof Services

/** The registry: a service is added with its folder, its entry in `Services` and its entry here. */
export const SERVICES: { readonly [N in ServiceName]: ServiceModule<Services[N]['options']> } = {
  extraction: {
    cliName: 'extraction',
    start: createExtractionService,
    servedNames: { baseUrl: 'url' },
  },
  storageAuth: {
    cliName: 'storage-auth',
    start: createStorageAuthService,
    settable: { tokenRequestsPerMinute: Number, accessTokenSeconds: Number },
  },
}

/** Their names, in order. */
export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[]
