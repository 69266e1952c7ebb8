import { ApiError, checkOptionNames, OptionsError, type OptionNames } from '@concord/runtime'
import type { Job } from '@concord/extraction-validators'

import { readBody } from './webhook-body.ts'
import { SeenJobs } from './seen-jobs.ts'

/** What a receiver needs of a client: the canonical job, and its waits. @public */
export interface WebhookClient {
  readonly api: { getJob(input: { path: { job_id: string } }): Promise<Job> }
  /** Tells the waits on this job that its state has been read. */
  wake(job: Job): void
}

/** How {@link webhookReceiver} handles what comes in. @public */
export interface WebhookReceiverOptions {
  /**
   * Called once for each finished job, with the job as `getJob` returned it; the payload of the call itself is
   * never passed on. When it throws, the sender gets a 500 and the same job may come again.
   */
  readonly onJob: (job: Job) => void | Promise<void>
  /**
   * Says whether a job is one of yours, before anything is fetched. Webhook calls carry no proof of who sent them,
   * so without this hook anyone who knows the address can make you spend requests of your rate limit.
   * A call can come before your own code has kept the id that `submit` gave; throw from the hook while you are not
   * sure, and the sender is answered 500 and may call again. Waiting finds the job in any case.
   * Default: every well-formed id is fetched.
   */
  readonly expecting?: (jobId: string) => boolean | Promise<boolean>
  /** Called with a well-formed JSON body whose `event` is not `job.completed`; other names are not documented. */
  readonly onUnknownEvent?: (body: unknown) => void | Promise<void>
  /** Called when the job could not be fetched, or a callback threw. The error is not thrown further. */
  readonly onError?: (error: unknown) => void
  /** The largest body that is read, in bytes. Default: 16 MiB, since the documented payload holds the whole text. */
  readonly maxBytes?: number
  /** How many finished jobs are remembered to recognise duplicates. Default: 10,000. */
  readonly remember?: number
}

const NAMES: OptionNames<WebhookReceiverOptions> = {
  onJob: true,
  expecting: true,
  onUnknownEvent: true,
  onError: true,
  maxBytes: true,
  remember: true,
}

/** A webhook receiver for any server that speaks Fetch. @public */
export type WebhookReceiver = (request: Request) => Promise<Response>

const defaultMaxBytes = 16 * 1024 * 1024
const defaultRemember = 10_000
/** All that is taken from a call; nothing else of it is looked at, so nothing else can make it fail. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

const answer = (status: number, headers?: HeadersInit) =>
  new Response(null, headers ? { status, headers } : { status })

/**
 * Makes a handler for the service's webhook calls.
 *
 * Calls are not authenticated and may come twice or never. So only `job_id` is taken from a call, the job is read
 * again with `getJob` and the key, a finished job is handed on once, and waits of the same client wake up.
 *
 * Answers: 204 taken (also duplicates, unknown events and jobs that are not expected), 400 not a webhook call,
 * 405 a GET or HEAD, 413 too large, 500 a callback threw, 503 the job could not be fetched now.
 *
 * @see specs/extraction/openapi.yaml#/webhooks/jobCompleted
 * @public
 */
export function webhookReceiver(client: WebhookClient, options: WebhookReceiverOptions): WebhookReceiver {
  checkOptionNames(options, NAMES, 'options')
  if (typeof options.onJob !== 'function') {
    throw new OptionsError(
      'onJob',
      '`onJob` must be a function.',
      'Pass the function that receives finished jobs.',
    )
  }
  const seen = new SeenJobs(options.remember ?? defaultRemember)
  const maxBytes = options.maxBytes ?? defaultMaxBytes
  const report = (error: unknown) => options.onError?.(error)

  async function deliver(jobId: string): Promise<Response> {
    let job: Job
    try {
      job = await client.api.getJob({ path: { job_id: jobId } })
    } catch (error) {
      report(error)
      // An id that the service does not know is nobody's job: asking for it again would help only a forger.
      return answer(ApiError.is(error) && error.status === 404 ? 204 : 503)
    }
    client.wake(job)
    // Not finished: a forged or premature call. The real one must still count.
    if (job.status !== 'completed' && job.status !== 'failed') return answer(204)
    try {
      await options.onJob(job)
    } catch (error) {
      report(error)
      return answer(500)
    }
    seen.add(jobId)
    return answer(204)
  }

  async function takeEvent(jobId: string): Promise<Response> {
    if (seen.has(jobId)) return answer(204)
    if (options.expecting && !(await options.expecting(jobId))) return answer(204)
    const response = await seen.once(jobId, () => deliver(jobId))
    return response.clone()
  }

  return async function receive(request) {
    // By which method the service calls is not documented; POST is the ordinary reading.
    if (request.method === 'GET' || request.method === 'HEAD') return answer(405, { Allow: 'POST' })
    const body = await readBody(request, maxBytes)
    if (body.kind === 'too-large') return answer(413)
    if (body.kind === 'unreadable') return answer(400)
    try {
      if (nameOfEvent(body.value) !== 'job.completed') {
        if (nameOfEvent(body.value) === undefined) return answer(400)
        await options.onUnknownEvent?.(body.value)
        return answer(204)
      }
      const jobId = (body.value as { job_id?: unknown }).job_id
      return typeof jobId === 'string' && UUID.test(jobId) ? await takeEvent(jobId) : answer(400)
    } catch (error) {
      report(error)
      return answer(500)
    }
  }
}

function nameOfEvent(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('event' in body)) return undefined
  return typeof body.event === 'string' ? body.event : undefined
}
