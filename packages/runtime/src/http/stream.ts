import { TimeoutError } from '../core/errors.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { EXPIRED, release } from './attempt.ts'
import { perform } from './pipeline.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import { loadedFailures, type Opened, type ReadBody } from './call.ts'
import { coreOf } from './client-state.ts'
import type { Client } from './client.ts'
import { isExpected } from './decode.ts'
import { responsePlan, isSuccess, planOf } from './prepare.ts'
import { StreamedResponse, type StreamedExchange } from './response.ts'
import { headerValue, type TransportResponse } from './transport.ts'

/**
 * Sends an operation and returns its successful response as soon as the headers arrive. The body follows as a stream.
 * `timeoutMs` limits the wait for the headers, the time until the first read of the body, and each wait for more of the
 * body. After the headers have arrived, nothing is retried.
 *
 * @throws the same errors as {@link Client.send}; the stream fails with the same errors.
 * @public
 */
export async function stream<Input>(
  client: Client,
  operation: OperationDescriptor<Input>,
  input: Input,
  options?: CallOptions,
): Promise<StreamedExchange> {
  const plan = planOf(coreOf(client, operation.id), operation)
  const exchange = await perform(plan, input as CallInput, options, openBody)
  return exchange as StreamedExchange
}

/** Returns `undefined` for a response that can't be streamed, such as an error. `perform` then reads the body. */
function openBody(opened: Opened): StreamedExchange | undefined {
  const { call, response } = opened
  const { core, plan, attempt, timeoutMs } = call
  if (!isSuccess(response.status)) return undefined
  const { descriptor } = responsePlan(plan, response.status)
  if (!isExpected(headerValue(response.headers, 'content-type'), descriptor)) return undefined
  if (descriptor.isMedia === true && isSurelyEmpty(response)) return undefined
  const onEmpty = descriptor.isMedia === true ? () => loadedFailures().emptyMedia(call, response) : undefined
  const body = bodyStream(response, { core, attempt, operation: plan.operation.id, timeoutMs, onEmpty })
  return new StreamedResponse(opened, body)
}

function isSurelyEmpty({ status, headers }: TransportResponse): boolean {
  return status === 204 || headerValue(headers, 'content-length') === '0'
}

export interface BodyLimits extends Omit<ReadBody, 'beganMs'> {
  /**
   * If true, the reader must ask for the second piece within `timeoutMs` after it receives the first piece. This
   * limit applies only while the body occupies a connection. Default: false.
   */
  readonly firstRead?: boolean
  /** Creates the error for an empty body. */
  readonly onEmpty?: (() => unknown) | undefined
}

/**
 * Yields the body of a response in pieces. The wait for each piece is limited to `timeoutMs`. The resources of the
 * attempt are released when the body ends or the reader stops.
 */
export async function* limitedBody(
  response: TransportResponse,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const { core, attempt, timeoutMs } = limits
  let isLate = attempt.reason === EXPIRED
  let isLimited = limits.firstRead === true
  let isEmpty = true
  let beganMs = core.clock.monotonic()
  attempt.onRelease = undefined
  core.limits.add(attempt, timeoutMs, beganMs)
  try {
    for await (const chunk of response.stream()) {
      core.limits.remove(attempt)
      isEmpty &&= chunk.length === 0
      if (isLimited) limitUntilRead(limits)
      yield chunk
      isLate = isLimited && attempt.reason === EXPIRED
      isLimited = false
      attempt.onRelease = undefined
      beganMs = core.clock.monotonic()
      core.limits.add(attempt, timeoutMs, beganMs)
    }
  } catch (error) {
    throw isLate ? unread(limits) : loadedFailures().bodyFailure(error, { ...limits, beganMs })
  } finally {
    release(core, attempt)
  }
  if (isEmpty && limits.onEmpty !== undefined) throw limits.onEmpty()
}

/** Ends the attempt unless the next read of its body begins within `timeoutMs`. */
function limitUntilRead({ core, attempt, timeoutMs }: BodyLimits): void {
  // A body that has fully arrived holds no connection.
  if (!attempt.isHeld) return
  core.limits.add(attempt, timeoutMs, core.clock.monotonic())
  attempt.onRelease = () => core.limits.remove(attempt)
}

function unread({ operation, timeoutMs }: BodyLimits): TimeoutError {
  return new TimeoutError(
    `${operation}: the response body was not read within ${timeoutMs} ms (\`timeoutMs\`), so its connection was closed. ` +
      'Read or cancel the body before you start long-running work.',
    { limitMs: timeoutMs, elapsedMs: timeoutMs, sent: 'yes' },
  )
}

/**
 * Returns the body as a web stream. If no read begins within `timeoutMs`, or if the stream is garbage-collected, the
 * connection is closed.
 */
export function bodyStream(response: TransportResponse, limits: BodyLimits): ReadableStream<Uint8Array> {
  const { core, attempt } = limits
  core.limits.remove(attempt)
  limitUntilRead(limits)
  const chunks = limitedBody(response, limits)
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        discard(limits)
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  abandoned ??= new FinalizationRegistry(discard)
  abandoned.register(stream, { core, attempt })
  return stream
}

/** Created with the first stream, so that importing this module does no work. */
let abandoned: FinalizationRegistry<Pick<BodyLimits, 'core' | 'attempt'>> | undefined

const DISCARDED = new Error('the body was discarded')

/** Closes the connection of a body that isn't needed. */
export function discard({ core, attempt }: Pick<BodyLimits, 'core' | 'attempt'>): void {
  release(core, attempt)
  attempt.cancel(DISCARDED)
}
