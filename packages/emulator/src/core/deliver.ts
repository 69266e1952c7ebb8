import { sleep, untilAborted, type ControlledClock } from './clock.ts'
import { type Faults, WEBHOOK_FAULTS } from './faults.ts'

/** How a webhook is delivered. @public */
export interface DeliveryPolicy {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** How many copies are sent. With 0 copies, the webhook is lost. */
  readonly copies: number
  /** The maximum number of attempts for each copy. */
  readonly attempts: number
  /** Returns how many milliseconds to wait before an attempt. Attempt 2 is the first retry. */
  retryDelayMs(attempt: number): number
  /** How long a receiver may take to respond, in milliseconds. */
  readonly timeoutMs: number
  readonly redirect: 'follow' | 'error' | 'manual'
}

/** One attempt to deliver a webhook. @public */
export interface DeliveryAttempt {
  readonly at: number
  readonly url: string
  /** The status of the receiver's response; absent if the receiver didn't respond. */
  status?: number
  readonly outcome: 'delivered' | 'rejected' | 'unreachable' | 'timeout' | 'lost'
}

export interface DeliveryTools {
  readonly clock: ControlledClock
  readonly faults: Faults
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Resolves when a virtual clock should stop waiting for the receiver. Without this limit, the clock couldn't
   * advance in a test whose receiver never responds.
   */
  readonly patience: () => Promise<void>
  attempted(attempt: DeliveryAttempt): void
  readonly closing: AbortSignal
}

export interface Delivery {
  operationId: string
  readonly url: string
  readonly body: unknown
  readonly policy: DeliveryPolicy
}

/** Resolves to whether the receiver accepted at least one copy (2xx). Rejects if `retryDelayMs` throws. */
export async function deliver(delivery: Delivery, tools: DeliveryTools): Promise<boolean> {
  const { operationId, url, policy } = delivery
  const drawn = tools.faults.draw(operationId, WEBHOOK_FAULTS)
  if (policy.copies < 1 || drawn.some((fault) => fault.kind === 'webhook-lost')) {
    tools.attempted({ at: tools.clock.now(), url, outcome: 'lost' })
    return false
  }
  const extra = drawn.reduce(
    (sum, fault) => sum + (fault.kind === 'webhook-duplicate' ? (fault.copies ?? 1) : 0),
    0,
  )
  let delivered = false
  for (let copy = 0; copy < policy.copies + extra; copy++)
    delivered = (await deliverCopy(delivery, tools)) || delivered
  return delivered
}

async function deliverCopy(delivery: Delivery, tools: DeliveryTools): Promise<boolean> {
  const { url, policy } = delivery
  for (let attempt = 1; attempt <= policy.attempts; attempt++) {
    if (attempt > 1)
      await sleep(tools.clock, policy.retryDelayMs(attempt), tools.closing).catch(() => undefined)
    if (tools.closing.aborted) return false
    const outcome = await attemptOnce(delivery, tools)
    tools.attempted({ at: tools.clock.now(), url, ...outcome })
    if (outcome.outcome === 'delivered') return true
  }
  return false
}

async function attemptOnce(
  { url, body, policy }: Delivery,
  tools: DeliveryTools,
): Promise<Pick<DeliveryAttempt, 'status' | 'outcome'>> {
  const timeout = new AbortController()
  const timer = tools.clock.setTimer(() => timeout.abort(), policy.timeoutMs)
  const signal = AbortSignal.any([tools.closing, timeout.signal])
  try {
    const request = new Request(url, {
      method: policy.method,
      headers: { 'content-type': 'application/json', ...policy.headers },
      body: JSON.stringify(body),
      redirect: policy.redirect,
      signal,
    })
    const exchange = tools.fetch(request)
    void tools.clock.track(Promise.race([exchange.catch(() => undefined), tools.patience()]))
    const response = await Promise.race([exchange, untilAborted(signal)])
    await response.body?.cancel().catch(() => {})
    return {
      status: response.status,
      outcome: response.status >= 200 && response.status < 300 ? 'delivered' : 'rejected',
    }
  } catch {
    return { outcome: timeout.signal.aborted ? 'timeout' : 'unreachable' }
  } finally {
    timer.cancel()
  }
}

/** Limits how long a virtual clock waits for a receiver in the same process: 50 turns of the event loop. */
export async function patienceInProcess(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Limits how long a virtual clock waits for a network receiver: 2 s. */
export function patienceOverSockets(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2_000).unref())
}
