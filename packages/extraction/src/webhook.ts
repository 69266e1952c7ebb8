import { ApiError, OptionsError } from '@concord/runtime'
import {
  ByteQueue,
  checkOptionNames,
  functionOption,
  numberOption,
  warn,
  type OptionNames,
} from '@concord/runtime/internal'
import type { Job } from '@concord/extraction-validators'

/** The parts of a client that a receiver uses. @public */
export interface WebhookClient {
  readonly api: { getJob(input: { path: { job_id: string } }): Promise<Job> }
  /** If the client is waiting for this job, it polls the job immediately. */
  wake(job: Job): void
}

/** Options of {@link webhookReceiver}. @public */
export interface WebhookReceiverOptions {
  /**
   * Called once for each finished job, with the job that `getJob` returned, not with the payload of the webhook call.
   * If this function throws, the sender gets a 500 and may deliver the same job again.
   */
  readonly onJob: (job: Job) => void | Promise<void>
  /**
   * Returns whether a job is one of yours. If not, the job isn't fetched, and the sender gets a 404. Without this
   * function, anyone who knows the URL can use up your rate limit with forged webhook calls. Default: the job of
   * every well-formed id is fetched.
   *
   * A webhook call can arrive before your code has stored the id that `submit` returned. If this function then
   * returns false, `onJob` isn't called for this webhook call, but you can still wait with the job's handle.
   */
  readonly expecting?: (jobId: string) => boolean | Promise<boolean>
  /** Called with a well-formed JSON body whose `event` is not `job.completed`. No other event is documented. */
  readonly onUnknownEvent?: (body: unknown) => void | Promise<void>
  /**
   * Called if the job could not be fetched, or if a callback threw. The error is not rethrown. Default: a process
   * warning reports the first error, such as a wrong API key. Later errors are not reported.
   */
  readonly onError?: (error: unknown) => void
  /** The largest body to read, in bytes. Default: 16 MiB, because the payload contains all text of the document. */
  readonly maxBytes?: number
  /** How many finished jobs to remember in order to recognize duplicates. Default: 10,000. */
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

/** A webhook receiver for any server with `Request` and `Response` objects. @public */
export type WebhookReceiver = (request: Request) => Promise<Response>

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024
const DEFAULT_REMEMBER = 10_000
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

const emptyResponse = (status: number, headers?: HeadersInit): Response =>
  new Response(null, headers ? { status, headers } : { status })

/** A finished job, or the HTTP status of the response to the webhook call. */
type FetchedJob = { readonly job: Job } | { readonly status: number }

/**
 * Makes a handler for the service's webhook calls.
 *
 * Calls are not authenticated, and may arrive twice or never. So the handler reads only `event` and `job_id` from a
 * call, and fetches the job with `getJob` and the client's API key. It passes each finished job to `onJob` once. If
 * the client is waiting for a fetched job, the client polls that job immediately.
 *
 * A 2xx reply confirms the delivery, so only handled calls get a 2xx. The statuses are:
 *
 * - 204: handled, including duplicates and unknown events
 * - 400: not a webhook call
 * - 404: `expecting` returned false, or the service doesn't know the job
 * - 405: a GET or HEAD request
 * - 413: the body is larger than `maxBytes`
 * - 500: a callback threw
 * - 503: the job is not finished yet, or could not be fetched
 *
 * @example
 * ```ts
 * const receive = webhookReceiver(extraction, { onJob: (job) => console.log(job.id, job.status) })
 * const response = await receive(incoming)
 * ```
 * @param client - The client that fetches each job.
 * @param options - The callbacks and limits.
 * @throws OptionsError if the client or an option is invalid.
 * @see `specs/extraction/openapi.yaml#/webhooks/jobCompleted`
 * @public
 */
export function webhookReceiver(client: WebhookClient, options: WebhookReceiverOptions): WebhookReceiver {
  const { onJob, expecting, onUnknownEvent, report, maxBytes, remember } = checkReceiver(client, options)
  const seen = new Set<string>()
  const fetchOnce = shareRuns<FetchedJob>()
  const deliverOnce = shareRuns<number>()

  async function fetchJob(jobId: string): Promise<FetchedJob> {
    try {
      const job = await client.api.getJob({ path: { job_id: jobId } })
      client.wake(job)
      return job.status === 'completed' || job.status === 'failed' ? { job } : { status: 503 }
    } catch (error) {
      report(error)
      return { status: ApiError.is(error) && error.status === 404 ? 404 : 503 }
    }
  }

  async function deliver(key: string, job: Job): Promise<number> {
    try {
      await onJob(job)
    } catch (error) {
      report(error)
      return 500
    }
    addSeen(seen, key, remember)
    return 204
  }

  async function takeJob(jobId: string): Promise<number> {
    // UUIDs are case-insensitive (RFC 9562, section 4).
    const key = jobId.toLowerCase()
    if (seen.has(key)) return 204
    if (expecting && !(await expecting(jobId))) return 404
    // The id is passed to `getJob` as spelled in the webhook call: the service might reject another spelling.
    const fetched = await fetchOnce(jobId, () => fetchJob(jobId))
    if (!('job' in fetched)) return fetched.status
    const { job } = fetched
    return seen.has(key) ? 204 : deliverOnce(key, () => deliver(key, job))
  }

  return async function receive(request) {
    // The documentation doesn't say which HTTP method the service uses. Only GET and HEAD are rejected, because they
    // can't carry the payload.
    if (request.method === 'GET' || request.method === 'HEAD') return emptyResponse(405, { Allow: 'POST' })
    const body = await readBody(request, maxBytes)
    if (body.kind !== 'json') return emptyResponse(body.kind === 'too-large' ? 413 : 400)
    try {
      const event = nameOfEvent(body.value)
      if (event === undefined) return emptyResponse(400)
      if (event !== 'job.completed') {
        await onUnknownEvent?.(body.value)
        return emptyResponse(204)
      }
      const jobId = (body.value as { job_id?: unknown }).job_id
      return emptyResponse(typeof jobId === 'string' && UUID.test(jobId) ? await takeJob(jobId) : 400)
    } catch (error) {
      report(error)
      return emptyResponse(500)
    }
  }
}

function checkReceiver(client: WebhookClient, options: WebhookReceiverOptions) {
  if (typeof client?.api?.getJob !== 'function' || typeof client.wake !== 'function') {
    throw new OptionsError(
      'client',
      'must be an Extraction client.',
      'Pass the `Extraction` client whose API key can read the jobs.',
    )
  }
  checkOptionNames(options, NAMES, 'options')
  if (typeof options.onJob !== 'function') {
    throw new OptionsError('onJob', 'must be a function.', 'Pass the function that receives finished jobs.')
  }
  return {
    onJob: options.onJob,
    expecting: functionOption(options.expecting, 'expecting'),
    onUnknownEvent: functionOption(options.onUnknownEvent, 'onUnknownEvent'),
    report: functionOption(options.onError, 'onError') ?? warnOnce(),
    maxBytes: numberOption(options.maxBytes, 'maxBytes', DEFAULT_MAX_BYTES, { min: 1, whole: true }),
    remember: numberOption(options.remember, 'remember', DEFAULT_REMEMBER, { min: 0, whole: true }),
  }
}

/** Warns only once, so that forged webhook calls can't flood a log. */
function warnOnce(): (error: unknown) => void {
  let warned = false
  return (error) => {
    if (warned) return
    warned = true
    warn(
      `A webhook call could not be handled. ${String(error)}\nOnly the first error of this receiver is reported; ` +
        'pass `onError` to receive every error.',
      'CONCORD_WEBHOOK_FAILED',
    )
  }
}

function nameOfEvent(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('event' in body)) return undefined
  return typeof body.event === 'string' ? body.event : undefined
}

type BodyRead =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unreadable' }

/** Never throws. */
export async function readBody(request: Request, maxBytes: number): Promise<BodyRead> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) return { kind: 'too-large' }
  // Collects bytes, not a string: anyone can send a body byte by byte, and a string that grows byte by byte takes 40
  // times as much memory.
  const queue = new ByteQueue()
  try {
    // This loop also throws if the request has no body.
    for await (const chunk of request.body as NonNullable<typeof request.body>) {
      queue.push(chunk)
      if (queue.sizeBytes > maxBytes) return { kind: 'too-large' }
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(queue.join())
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return { kind: 'unreadable' }
  }
}

function addSeen(seen: Set<string>, id: string, limit: number): void {
  seen.add(id)
  for (const oldest of seen) {
    if (seen.size <= limit) break
    seen.delete(oldest)
  }
}

/** While the work for a key is running, later callers with the same key share its result. */
function shareRuns<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (key, work) => {
    const known = running.get(key)
    if (known) return known
    const started = work().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}
