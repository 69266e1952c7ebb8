import { deliver, type DeliveryPolicy, type DeliveryTools } from '../core/deliver.ts'
import { describeError } from '../core/errors.ts'
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

/** How a webhook is delivered unless the choice `webhook` says otherwise. */
const OWN_DELIVERY: DeliveryPolicy = {
  method: 'POST',
  headers: { 'user-agent': 'concord-emulator' },
  copies: 1,
  attempts: 3,
  retryDelayMs: (attempt) => 1_000 * 2 ** (attempt - 2),
  timeoutMs: 10_000,
  redirect: 'manual',
}

/** Sends what a job that ended has to send, in the background. */
export function announce(job: Job, tools: WebhookTools): void {
  try {
    send(job, tools)
  } catch (error) {
    // Only a replaced choice can fail here; the job itself is done.
    tools.log('error', `extraction: the webhook of job ${job.id} could not be made: ${describeError(error)}`)
    job.webhookDelivered = false
  }
}

function send(job: Job, tools: WebhookTools): void {
  const { choices } = tools
  if (job.webhookUrl === undefined) return

  const own = job.status === 'completed' ? showWebhook(job, choices) : undefined
  const chosen = choices.webhook({ job, body: own })
  if (!chosen) return
  const { body, ...delivery } = chosen
  // A failed job has no documented event, so there is nothing that the contract could say about one.
  if (job.status === 'completed' && refused(body, tools)) {
    job.webhookDelivered = false
    return
  }
  const policy = { ...OWN_DELIVERY, ...delivery }
  const attempted = (attempt: Job['webhookAttempts'][number]) => {
    job.webhookAttempts.push(attempt)
    tools.log('info', `extraction: webhook of job ${job.id}: ${attempt.outcome}`)
  }
  const result = deliver(tools.operation.operationId, job.webhookUrl, body, policy, { ...tools, attempted })
  void result.then((delivered) => (job.webhookDelivered = delivered))
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
    `extraction: the contract rejects a webhook: ${mismatches.map(({ path, reason }) => `${path} ${reason}`).join('; ')}`,
  )
  return true
}
