// Receives a webhook for a finished job instead of polling, and fetches the job instead of trusting the webhook's
// content.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

import { createEmulator } from '@concord/emulator'
import { Extraction, webhookReceiver } from '@concord/extraction'
import { nodeWebhookListener } from '@concord/extraction/node'

// The service calls only HTTPS URLs. Here the emulator sends its calls to a local HTTP server instead.
const webhook_url = 'https://hooks.example/extraction'
const server = createServer()
await using emulator = await createEmulator({
  extraction: {
    choices: { courseOf: () => ({ queuedMs: 100, processingMs: 200 }) },
    webhookFetch: (call) =>
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        method: call.method,
        headers: call.headers,
        body: call.body,
        duplex: 'half',
      } as RequestInit),
  },
})
const { extraction: served } = await emulator.serve()
await using extraction = new Extraction({ baseUrl: served.baseUrl, apiKey: served.apiKey })

const submitted = new Set<string>()
const { promise: arrived, resolve: arrive } = Promise.withResolvers<string>()
const receive = webhookReceiver(extraction, {
  expecting: (jobId) => submitted.has(jobId),
  onJob: (job) => arrive(`${job.id}: ${job.status}, ${job.metadata?.page_count} pages`),
})
server.on('request', nodeWebhookListener(receive)).listen(0, '127.0.0.1')
await once(server, 'listening')

const file = fileURLToPath(new URL('./documents/invoice.pdf', import.meta.url))
const job = await extraction.submit({ file, webhook_url })
submitted.add(job.id)
console.log(await arrived)
server.close()
server.closeAllConnections()
