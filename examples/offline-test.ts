// Tests a wait of several minutes. The test takes only milliseconds, because the client and the emulator share a
// virtual clock that advances by itself.
import { fileURLToPath } from 'node:url'

import { createEmulator } from '@concord/emulator'
import { Extraction } from '@concord/extraction'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'

const clock = virtualClock()
await using emulator = await createEmulator({
  clock,
  extraction: { choices: { courseOf: () => ({ processingMs: 150_000 }) } },
})
const { baseUrl, apiKey, fetch, control } = emulator.extraction
await using extraction = new Extraction({ baseUrl, apiKey, transport: memoryTransport(fetch), clock })

// About one in three status requests is lost, but the wait continues.
control.faults.add({ kind: 'reset', when: 'before', operation: 'getJob', times: 'always', probability: 0.33 })
const file = fileURLToPath(new URL('./documents/invoice.pdf', import.meta.url))
const done = await (await extraction.submit({ file })).wait()
console.log(`${done.status} after ${Math.round(clock.elapsedMs / 1000)} seconds of virtual time`)
