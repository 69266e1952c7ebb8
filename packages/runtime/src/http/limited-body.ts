import { type Attempt, release } from './attempt.ts'
import type { ClientCore } from './core.ts'
import { CallersOwn, toFailure } from './failure.ts'
import type { TransportResponse } from './transport.ts'

/** What a body that is read piece by piece is held to. */
export interface BodyLimits {
  readonly core: ClientCore
  readonly attempt: Attempt
  readonly operation: string
  /** How long the server may be silent. The time that the reader takes does not count. */
  readonly timeoutMs: number
}

/**
 * The body of an answer, piece by piece, with the attempt's signals and a time limit for each silence. What the
 * attempt holds on to is let go of when the body ends or the reader leaves.
 */
export async function* limitedBody(
  response: TransportResponse,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const { core, attempt, timeoutMs } = limits
  let beganMs = core.clock.monotonic()
  core.limits.add(attempt, timeoutMs, beganMs)
  try {
    for await (const chunk of response.stream()) {
      core.limits.remove(attempt)
      yield chunk
      beganMs = core.clock.monotonic()
      core.limits.add(attempt, timeoutMs, beganMs)
    }
  } catch (error) {
    throw explain(error, limits, beganMs)
  } finally {
    release(core, attempt)
  }
}

/** What a failure of an attempt without a plan means to the caller. */
export function explain(
  error: unknown,
  { core, attempt, operation, timeoutMs }: BodyLimits,
  beganMs: number,
): unknown {
  const frame = { timeoutMs, deadlineMs: undefined, callBeganMs: beganMs, attemptBeganMs: beganMs }
  const failure = toFailure(error, attempt, operation, frame, core.clock.monotonic(), () => (text) => text)
  return failure instanceof CallersOwn ? failure.error : failure
}

/** The pieces as a web stream, for what takes one. */
export function toWebStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
