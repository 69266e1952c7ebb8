import { bounded } from '../core/async.ts'
import { ConnectionError } from '../core/errors.ts'
import { ByteQueue } from '../http/buffered-response.ts'
import { handlerTransport } from '../http/fetch-transport.ts'
import type { Transport, TransportRequest, TransportResponse } from '../http/transport.ts'

/**
 * Ways in which a network fails:
 *
 * - `refused`: the connection is refused, so nothing is sent.
 * - `lost`: the connection is lost before a response arrives.
 * - `truncated`: the connection is lost in the middle of the response body.
 * - `stalled`: no response arrives, so the request waits until it is aborted.
 * - `stalled-body`: the headers arrive, but the body doesn't, so the request waits until it is aborted.
 *
 * @public
 */
export type Fault = 'refused' | 'lost' | 'truncated' | 'stalled' | 'stalled-body'

/** The result of a request: a response, a fault, or a function that returns either. @public */
export type ScriptStep = Response | Fault | ((request: SeenRequest) => Response | Fault)

/** A request that the transport received. @public */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** The body as a string. Empty if the request has no body, or if the step is `refused`. */
  readonly body: string
}

/** A transport that follows a script and records the requests. @public */
export interface ScriptedTransport extends Transport {
  readonly requests: readonly SeenRequest[]
}

/**
 * Makes a transport that responds to each request with the next step of a script. If there are more requests than
 * steps, the transport repeats the last step.
 *
 * @public
 */
export function scriptedTransport(...steps: readonly [ScriptStep, ...ScriptStep[]]): ScriptedTransport {
  const requests: SeenRequest[] = []
  return {
    requests,
    async send(request) {
      const next = steps[Math.min(requests.length, steps.length - 1)] ?? steps[0]
      const refused = next === 'refused'
      const seen = await see(request, !refused)
      requests.push(seen)
      const step = typeof next === 'function' ? next(seen) : next
      if (request.control.cancelled) throw request.control.reason
      if (typeof step === 'string') return fail(step, request)
      return handlerTransport(async () => step.clone()).send({ ...request, body: undefined })
    },
  }
}

async function see(request: TransportRequest, withBody: boolean): Promise<SeenRequest> {
  const headers = new Headers()
  request.headers.forEach(
    (name, index) => index % 2 === 0 && headers.append(name, request.headers[index + 1] ?? ''),
  )
  const body = withBody ? await readBody(request) : ''
  return { method: request.method, url: request.origin + request.path, headers, body }
}

async function readBody({ body, control }: TransportRequest): Promise<string> {
  control.sent = 'maybe'
  if (body === undefined) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  const queue = new ByteQueue()
  for await (const chunk of body.open()) queue.push(chunk)
  return new TextDecoder().decode(queue.join())
}

async function fail(fault: Fault, request: TransportRequest): Promise<TransportResponse> {
  const { control } = request
  if (fault === 'refused') throw new ConnectionError('refused', { phase: 'connect', sent: 'no' })
  if (fault === 'lost') throw new ConnectionError('lost', { phase: 'receive', sent: 'maybe' })
  if (fault === 'stalled') return untilCancelled(request)
  control.sent = 'yes'
  control.status = 200
  if (fault === 'stalled-body') return untilCancelled(request)
  throw new ConnectionError('truncated', { phase: 'receive', sent: 'yes' })
}

function untilCancelled({ control }: TransportRequest): Promise<never> {
  return new Promise((_, reject) => control.onCancel(reject))
}

/** Responds to a request within this process, as an emulator does. @public */
export type MemoryHandler = (request: Request) => Response | Promise<Response>

/**
 * Makes a transport that opens no connection: it passes each request to a handler as a standard `Request`, and returns
 * the handler's `Response` as if it came from the network. An error that the handler throws counts as a lost
 * connection.
 *
 * @public
 */
export function memoryTransport(handler: MemoryHandler): Transport {
  return handlerTransport(async (input, init) => {
    const { signal, ...rest } = init
    const request = new Request(input, { ...rest, ...(signal == null ? undefined : { signal }) })
    // The call ends at once on an abort, even if the handler ignores the abort.
    return bounded(Promise.resolve(handler(request)), { signals: [request.signal] })
  })
}
