// Runs msw in Node, in the version that the command line names, with handlers that call an emulator.
import assert from 'node:assert/strict'

import { createEmulator } from '@concord/emulator'
import { handlersFor } from '@concord/emulator/msw'
import { Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { fetchTransport } from '@concord/runtime'
import { nodeTransport } from '@concord/runtime/node'

import * as clients from '../shared/clients.mjs'
import { served, use } from '../shared/flow.mjs'

const { http } = await import(process.argv[2])
const { setupServer } = await import(`${process.argv[2]}/node`)
const transport = fetchTransport()

const emulator = await createEmulator({
  extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
  media: { choices: { courseOf: () => ({ pendingMs: 1, runningMs: 1 }) } },
})
const baseUrl = 'https://extraction.example/api/'
const server = setupServer(...handlersFor(http, emulator, { extraction: { baseUrl } }))
server.listen({ onUnhandledRequest: 'error' })

// Extraction is called at `baseUrl`, with an upload; the other services are called at the emulator's own URLs.
const { apiKey } = emulator.extraction
for (const name of Object.keys(served())) {
  const isExtraction = name === 'extraction'
  const { socketFactory } = emulator[name]
  await use(clients, name, isExtraction ? { baseUrl, apiKey } : emulator[name], {
    file: '../shared/receipt.png',
    options: { transport, ...(socketFactory && { socketFactory }) },
  })
}

// Outputs are downloaded from the links in the emulator's responses.
const media = new Media({
  baseUrl: emulator.media.baseUrl,
  apiSecret: emulator.media.apiSecret,
  transport,
  polling: { task: { firstDelayMs: 50, minDelayMs: 50 } },
})
const handle = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat', duration: 5 })
await handle.wait()
const [file] = await handle.download({ folder: 'out' })
assert.ok(file.path.length > 0)
await media.close()

// A broken connection is a connection error.
emulator.extraction.control.faults.add({ kind: 'reset', when: 'before', operation: 'listPipelines' })
const extraction = new Extraction({ baseUrl, apiKey, transport, retry: { maxAttempts: 1 } })
const broken = await extraction.api.listPipelines().catch((error) => error)
assert.equal(broken.code, 'connection', String(broken))

// msw doesn't intercept the default transport of Node. For URLs that exist only in this process, its error says so.
const direct = new Extraction({ baseUrl: emulator.extraction.baseUrl, apiKey, transport: nodeTransport() })
const missed = await direct.api.listPipelines().catch((error) => error)
assert.match(String(missed), /fetchTransport/)
await direct.close()

assert.throws(
  () => handlersFor(http, emulator, { media: { url: 'https://media.example' } }),
  /Its base URLs: `baseUrl`/,
)
server.close()
await emulator.close()
console.log('all good')
