import type { ServiceModule } from './core/service-module.ts'
import type { EmulatedExtraction, ServedExtraction } from './extraction/emulated.ts'
import type { ExtractionOptions } from './extraction/options.ts'
import { createExtractionService } from './extraction/service.ts'
import type { EmulatedMedia, ServedMedia } from './media/emulated.ts'
import type { MediaOptions } from './media/options.ts'
import { createMediaService } from './media/service.ts'
import type { MediaTierNumber } from './media/tiers.ts'
import type { EmulatedSpeech, ServedSpeech } from './speech/emulated.ts'
import type { SpeechOptions } from './speech/options.ts'
import { createSpeechService } from './speech/service.ts'
import type { EmulatedStorageAuth, ServedStorageAuth } from './storage-auth/emulated.ts'
import type { StorageAuthOptions } from './storage-auth/options.ts'
import { createStorageAuthService } from './storage-auth/service.ts'

/** The services of an emulator: how each is set up, and what it is in process and served. @public */
export interface Services {
  /** Document extraction. */
  extraction: { options: ExtractionOptions; emulated: EmulatedExtraction; served: ServedExtraction }
  /** Media generation. */
  media: { options: MediaOptions; emulated: EmulatedMedia; served: ServedMedia }
  /** Storage authentication. */
  storageAuth: { options: StorageAuthOptions; emulated: EmulatedStorageAuth; served: ServedStorageAuth }
  /** Speech. */
  speech: { options: SpeechOptions; emulated: EmulatedSpeech; served: ServedSpeech }
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
  media: {
    cliName: 'media',
    start: createMediaService,
    settable: { tier: (text) => Number(text) as MediaTierNumber, credits: Number },
  },
  storageAuth: {
    cliName: 'storage-auth',
    start: createStorageAuthService,
    settable: { tokenRequestsPerMinute: Number, accessTokenSeconds: Number },
  },
  speech: {
    cliName: 'speech',
    start: createSpeechService,
    settable: { apiKeys: (text) => text.split(','), connectionAllowance: Number },
  },
}

/** Their names, in order. */
export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[]
