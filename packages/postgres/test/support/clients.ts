import { createEmulator, type EmulatorOptions } from '@concord/emulator'
import { Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { memoryTransport } from '@concord/runtime/testing'
import { onTestFinished } from 'vitest'

type Send = (request: Request) => Promise<Response>

/**
 * Creates an emulator whose work takes a few milliseconds, and clients of it. All are closed after the test.
 *
 * @param around - Sends a request, or responds itself.
 */
export async function emulatedClients(
  options: EmulatorOptions = {},
  around: (request: Request, send: Send) => Promise<Response> = (request, send) => send(request),
) {
  const emulator = await createEmulator({
    ...options,
    extraction: { choices: { courseOf: () => ({ queuedMs: 10, processingMs: 20 }) }, ...options.extraction },
    media: { choices: { courseOf: () => ({ pendingMs: 10, runningMs: 20 }) }, ...options.media },
  })
  const common = (send: Send) => ({
    transport: memoryTransport((request) => around(request, send)),
    ...(options.clock && { clock: options.clock }),
  })
  const extraction = new Extraction({
    baseUrl: emulator.extraction.baseUrl,
    apiKey: emulator.extraction.apiKey,
    ...common((request) => emulator.extraction.fetch(request)),
  })
  const media = new Media({
    baseUrl: emulator.media.baseUrl,
    apiSecret: emulator.media.apiSecret,
    ...common((request) => emulator.media.fetch(request)),
  })
  onTestFinished(async () => {
    await Promise.all([extraction.close(), media.close()])
    await emulator.close()
  })
  return { emulator, extraction, media }
}
