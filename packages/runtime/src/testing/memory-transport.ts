import { bounded } from '../core/async.ts'
import { handlerTransport } from '../http/fetch-transport.ts'
import type { Transport } from '../http/transport.ts'

/** Answers a request in process, as an emulator does. @public */
export type MemoryHandler = (request: Request) => Response | Promise<Response>

/**
 * Makes a transport that opens no connection: it passes each request to a handler as a standard `Request`, and returns
 * the handler's `Response` as if it came from the network. An error that the handler throws is a lost connection.
 *
 * @public
 */
export function memoryTransport(handler: MemoryHandler): Transport {
  return handlerTransport(async (input, init) => {
    const { signal, ...rest } = init
    const request = new Request(input, { ...rest, ...(signal == null ? undefined : { signal }) })
    // A handler may ignore an abort; the call still ends at once.
    return bounded(Promise.resolve(handler(request)), { signals: [request.signal] })
  })
}
