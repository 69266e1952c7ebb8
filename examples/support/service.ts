import { createEmulator, type Emulator, type EmulatorOptions } from '@concord/emulator'

/** The environment variable for each option that a service needs. */
const variables = {
  extraction: { baseUrl: 'EXTRACTION_BASE_URL', apiKey: 'EXTRACTION_API_KEY' },
  media: { baseUrl: 'MEDIA_BASE_URL', apiSecret: 'MEDIA_API_SECRET' },
  storageAuth: {
    authUrl: 'STORAGE_AUTH_URL',
    dataUrl: 'STORAGE_DATA_URL',
    webUrl: 'STORAGE_WEB_URL',
    email: 'STORAGE_EMAIL',
    password: 'STORAGE_PASSWORD',
  },
  speech: { apiUrl: 'SPEECH_API_URL', agentUrl: 'SPEECH_AGENT_URL', apiKey: 'SPEECH_API_KEY' },
} as const

/** Short delays of the emulator, so that the examples finish quickly. */
const quick: EmulatorOptions = {
  extraction: { pollIntervalSeconds: 1, choices: { courseOf: () => ({ queuedMs: 100, processingMs: 200 }) } },
  media: { choices: { courseOf: () => ({ pendingMs: 100, runningMs: 300 }), session: { readyMs: 300 } } },
}

/** The URLs and credentials for an example. */
export type Service<Name extends keyof typeof variables> = AsyncDisposable & {
  readonly [Option in keyof (typeof variables)[Name]]: string
} & {
  /** The emulator; undefined for a real service. */
  readonly emulator?: Emulator
}

/**
 * Returns the URLs and credentials of a service. They come from the service's environment variables (for example,
 * `MEDIA_BASE_URL` and `MEDIA_API_SECRET`) if all of these are set. Otherwise, this function starts an emulator, and
 * returns the emulator's URLs and credentials. The emulator closes when the example ends.
 */
export async function service<Name extends keyof typeof variables>(name: Name): Promise<Service<Name>> {
  const settings = Object.entries(variables[name]).map(([option, variable]) => [
    option,
    process.env[variable],
  ])
  if (settings.every(([, value]) => value !== undefined))
    return { ...Object.fromEntries(settings), async [Symbol.asyncDispose]() {} }
  const emulator = await createEmulator({ [name]: quick[name] ?? {} })
  const served = (await emulator.serve({ services: [name] }))[name]
  return {
    ...served,
    emulator,
    [Symbol.asyncDispose]: () => emulator.close(),
  } as unknown as Service<Name>
}

/** Shorter polling delays than recommended, so that the examples finish quickly. Omit them in your own code. */
export const impatient = {
  extraction: {
    job: { firstDelayMs: 300, minDelayMs: 300 },
    optimization: { firstDelayMs: 300, minDelayMs: 500 },
  },
  media: {
    task: { firstDelayMs: 200, minDelayMs: 200, maxDelayMs: 200 },
    session: { firstDelayMs: 200, minDelayMs: 200 },
  },
}
