import { createEmulator, type Emulator } from '@concord/emulator'

/** An address and a key to run an example with. */
export interface Service extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
  /** The emulator behind it, where it is one. */
  readonly emulator?: Emulator
}

/**
 * Gives the service of `EXTRACTION_BASE_URL` and `EXTRACTION_API_KEY`, or, where these are not set, an emulator that
 * is started here and ends with the example.
 */
export async function service(): Promise<Service> {
  const { EXTRACTION_BASE_URL: baseUrl, EXTRACTION_API_KEY: apiKey } = process.env
  if (baseUrl && apiKey) return { baseUrl, apiKey, async [Symbol.asyncDispose]() {} }
  const emulator = await createEmulator({
    extraction: { pollIntervalSeconds: 1, choices: { queuedMs: () => 100, processingMs: () => 200 } },
  })
  const served = await emulator.serve()
  return {
    baseUrl: served.extraction.url,
    apiKey: served.extraction.apiKey,
    emulator,
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

/** The examples do not want to wait as long as the service recommends; leave this out in your own code. */
export const impatient = {
  job: { firstDelayMs: 300, minDelayMs: 300 },
  optimization: { firstDelayMs: 300, minDelayMs: 500 },
}
