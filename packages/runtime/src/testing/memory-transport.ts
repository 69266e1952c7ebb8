import { bounded } from '../core/async.ts'
import { handlerTransport } from '../http/fetch-transport.ts'
import type { Transport } from '../http/transport.ts'

/** Answers a request in process, as an emulator does. @public */
export type MemoryHandler = (request: Request) => Response | Promise<Response>

/**
 * Makes a transport that opens no connection: each request goes to a handler as a standard `Request`, and its
 * `Response` comes back as an answer from the network would. What the handler throws is a lost connection.
 *
 * @public
 */
export function memoryTransport(handler: MemoryHandler): Transport {
  return handlerTransport(async (input, init) => {
    const { signal, ...rest } = init
    const request = new Request(input, { ...rest, ...(signal == null ? undefined : { signal }) })
    // A handler may ignore an abort; the caller sees it at once all the same.
    return bounded(Promise.resolve(handler(request)), { signals: [request.signal] })
  })
}
