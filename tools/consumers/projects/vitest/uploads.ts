import { createEmulator } from '@concord/emulator'
import { ApiError, Extraction, type ExtractionOptions } from '@concord/extraction'
import { fetchTransport } from '@concord/runtime'
import { memoryTransport } from '@concord/runtime/testing'
import { afterAll, expect, inject, it } from 'vitest'

import { use } from '../shared/flow.mjs'

const receipt = Uint8Array.from(atob(process.env['CONCORD_RECEIPT'] ?? ''), (letter) => letter.charCodeAt(0))
const file = (): File => new File([receipt], 'receipt.png', { type: 'image/png' })
const polling = { job: { firstDelayMs: 20, minDelayMs: 20 } }

const served = inject('served')
const emulator = await createEmulator({
  extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
})
afterAll(() => emulator.close())

const transports: Record<string, () => Partial<ExtractionOptions>> = {
  'the default transport': () => ({}),
  fetch: () => ({ transport: fetchTransport() }),
  'the emulator in memory': () => ({
    transport: memoryTransport(emulator.extraction.fetch),
    apiKey: emulator.extraction.apiKey,
  }),
}

for (const [name, options] of Object.entries(transports)) {
  it(`uploads a File, bytes and a Blob over ${name}`, async () => {
    const { baseUrl, apiKey } = served.extraction
    const extraction = new Extraction({ baseUrl, apiKey, polling, ...options() })
    for (const input of [
      file(),
      { content: receipt, filename: 'receipt.png' },
      { content: file().slice(), filename: 'receipt.png' },
    ]) {
      const submitted = await extraction.submit({ file: input })
      expect((await submitted.wait()).status).toBe('completed')
    }
    const error: unknown = await extraction.api
      .getJob({ path: { job_id: '00000000-0000-4000-8000-000000000000' } })
      .catch((caught: unknown) => caught)
    expect(ApiError.is(error)).toBe(true)
    await extraction.close()
  })
}

it('calls all other services', async () => {
  const clients = await import('../shared/clients.mjs')
  for (const [name, service] of Object.entries(served))
    if (name !== 'extraction') await use(clients, name, service)
})
