import { deliver, type DeliveryTools } from '../core/deliver.ts'
import type { Journal } from '../core/journal.ts'
import type { Log } from '../core/log.ts'
import type { Oracle } from '../core/oracle.ts'
import type { JsonObject, Operation } from '../core/specification.ts'
import type { ExtractionChoices } from './choices.ts'
import { showWebhook } from './job-views.ts'
import type { Job } from './model.ts'

/** What webhooks work with. */
export interface WebhookTools extends Omit<DeliveryTools, 'attempted'> {
  choices: ExtractionChoices
  journal: Journal
  oracle: Oracle
  log: Log
  operation: Operation
}

/** Sends what a job that ended has to send, in the background. */
export function announce(job: Job, tools: WebhookTools): void {
  try {
    send(job, tools)
  } catch (error) {
    // Only a replaced choice can fail here; the job itself is done.
    tools.log('error', `extraction: the webhook of job ${job.id} could not be made: ${String(error)}`)
    job.webhookDelivered = false
  }
}

function send(job: Job, tools: WebhookTools): void {
  const { choices } = tools
  if (job.webhookUrl === undefined) return

  const body = job.status === 'completed' ? showWebhook(job, choices) : choices.webhookOnFailure(job)
  if (!body) return
  // A failed job has no documented event, so there is nothing that the contract could say about one.
  if (job.status === 'completed' && refused(body, tools)) {
    job.webhookDelivered = false
    return
  }
  const policy = {
    method: choices.webhookMethod,
    headers: choices.webhookHeaders(job),
    copies: choices.webhookCopies(job),
    attempts: choices.webhookAttempts,
    retryDelayMs: choices.webhookRetryDelayMs,
    timeoutMs: choices.webhookTimeoutMs,
    redirect: choices.webhookRedirect,
  }
  const attempted = (attempt: Job['webhookAttempts'][number]) => {
    job.webhookAttempts.push(attempt)
    tools.log('info', `extraction: webhook of job ${job.id}: ${attempt.outcome}`)
  }
  const delivery = deliver(tools.operation.operationId, job.webhookUrl, body, policy, { ...tools, attempted })
  void delivery.then((delivered) => (job.webhookDelivered = delivered))
}

function refused(body: JsonObject, { oracle, operation, journal, clock, log }: WebhookTools): boolean {
  const message = JSON.parse(JSON.stringify(body)) as unknown
  const mismatches = oracle.request(operation, {
    parameters: {},
    query: new URLSearchParams(),
    headers: new Headers(),
    body: { kind: 'json', contentType: 'application/json', value: message, sizeBytes: 0 },
  })
  if (mismatches.length === 0) return false
  journal.violation({ at: clock.now(), direction: 'webhook', operationId: operation.operationId, mismatches })
  log(
    'error',
    `extraction: the contract refuses a webhook: ${mismatches.map(({ path, reason }) => `${path} ${reason}`).join('; ')}`,
  )
  return true
}
