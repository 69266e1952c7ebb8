import type { ServiceModule } from './core/service-module.ts'
import {
  createExtractionService,
  type EmulatedExtraction,
  type ExtractionOptions,
  type ServedExtraction,
} from './extraction/service.ts'
import {
  createMediaService,
  type EmulatedMedia,
  type MediaOptions,
  type ServedMedia,
} from './media/service.ts'
import type { MediaTierNumber } from './media/tiers.ts'
import {
  createSpeechService,
  type EmulatedSpeech,
  type SpeechOptions,
  type ServedSpeech,
} from './speech/service.ts'
import {
  createStorageAuthService,
  type EmulatedStorageAuth,
  type StorageAuthOptions,
  type ServedStorageAuth,
} from './storage-auth/service.ts'

/**
 * Maps each service to three types: its options, its emulator in your process (`emulated`), and its emulator over
 * HTTP (`served`). @public
 */
export interface Services {
  /** Document extraction. */
  readonly extraction: { options: ExtractionOptions; emulated: EmulatedExtraction; served: ServedExtraction }
  /** Media generation. */
  readonly media: { options: MediaOptions; emulated: EmulatedMedia; served: ServedMedia }
  /** Storage authentication. */
  readonly storageAuth: {
    options: StorageAuthOptions
    emulated: EmulatedStorageAuth
    served: ServedStorageAuth
  }
  /** Speech. */
  readonly speech: { options: SpeechOptions; emulated: EmulatedSpeech; served: ServedSpeech }
}

/** The type of the default export of a choices file (`--choices FILE`): the choices of each service. @public */
export type ChoicesFile = { readonly [N in ServiceName]?: NonNullable<Services[N]['options']['choices']> }

/** The name of a service. @public */
export type ServiceName = keyof Services

/** To add a service, add its folder, its entry in `Services` and its entry here. */
export const SERVICES: { readonly [N in ServiceName]: ServiceModule<Services[N]['options']> } = {
  extraction: {
    cliName: 'extraction',
    start: createExtractionService,
    options: {
      plan: true,
      apiKeys: true,
      choices: true,
      deviceCodeLifetimeSeconds: true,
      pollIntervalSeconds: true,
      allowHttpWebhooks: true,
      webhookFetch: true,
      blueprints: true,
      basePath: true,
    },
  },
  media: {
    cliName: 'media',
    start: createMediaService,
    options: {
      tier: true,
      credits: true,
      apiSecrets: true,
      choices: true,
      allowLocalInputs: true,
      basePath: true,
    },
    settable: {
      apiSecrets: {
        read: (text) => text.split(','),
        about: 'the valid secrets, comma-separated',
      },
      tier: { read: (text) => Number(text) as MediaTierNumber, about: 'the tier, 1 to 5' },
      credits: { read: Number, about: 'the initial balance in credits' },
    },
  },
  storageAuth: {
    cliName: 'storage-auth',
    start: createStorageAuthService,
    options: {
      accounts: true,
      tokenRequestsPerMinute: true,
      accessTokenSeconds: true,
      authPath: true,
      dataPath: true,
      webPath: true,
      choices: true,
    },
    settable: {
      tokenRequestsPerMinute: {
        read: Number,
        about: 'the maximum number of token requests per minute; Infinity for no limit',
      },
      accessTokenSeconds: { read: Number, about: 'the lifetime of an access token in seconds' },
    },
  },
  speech: {
    cliName: 'speech',
    start: createSpeechService,
    options: {
      apiKeys: true,
      connectionAllowance: true,
      apiPath: true,
      agentPath: true,
      choices: true,
    },
    settable: {
      apiKeys: {
        read: (text) => text.split(','),
        about: 'the valid keys, comma-separated',
      },
      connectionAllowance: { read: Number, about: 'the maximum number of open connections per key' },
    },
  },
}

export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[]

/**
 * The origin of a service that runs in your process. No real server can have a name that ends with `.invalid`
 * (RFC 2606).
 */
export const inProcessOrigin = (name: ServiceName): string =>
  `http://${SERVICES[name].cliName}.emulator.invalid`
