import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { WebhookReceiver } from '@concord/extraction'
import { nodeWebhookListener } from '@concord/extraction/node'

/** A local server for webhook calls. Call `receive` later, because a receiver needs a client. */
export interface WebhookServer extends AsyncDisposable {
  /**
   * Forwards the emulator's webhook calls to this server. The service accepts only HTTPS URLs for webhooks, but this
   * server supports only HTTP.
   */
  readonly deliver: (call: Request) => Promise<Response>
  receive(receiver: WebhookReceiver): void
}

/** Starts a webhook server on a free local port. */
export async function webhookServer(): Promise<WebhookServer> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async deliver(call) {
      const { method, headers } = call
      return fetch(`http://127.0.0.1:${port}/`, { method, headers, body: await call.arrayBuffer() })
    },
    receive: (receiver) => void server.on('request', nodeWebhookListener(receiver)),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
