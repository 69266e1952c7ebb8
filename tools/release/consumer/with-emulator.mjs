// The flow against the emulator, both from the same project.
import { createEmulator } from '@concord/emulator'

const emulator = await createEmulator({
  extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
})
const { baseUrl, apiKey } = (await emulator.serve({ services: ['extraction'] })).extraction
process.argv.splice(2, 0, baseUrl, apiKey)
await import('./flow.mjs')
await emulator.close()
