import type { Background } from '../core/background.ts'
import { deliver, type DeliveryPolicy, type DeliveryTools } from '../core/deliver.ts'
import { describeError, EmulatorError } from '../core/errors.ts'
import type { Log, Records } from '../core/records.ts'
import type { JsonObject } from '../core/json.ts'
import { reasonsOf } from '../core/denials.ts'
import type { Specification } from '../core/specification.ts'
import type { ExtractionChoices } from './choices.ts'
import type { Job } from './model.ts'
import { showWebhook } from './views.ts'

interface WebhookTools extends Omit<DeliveryTools, 'attempted'> {
  readonly choices: ExtractionChoices
  readonly background: Background
  readonly records: Records
  readonly log: Log
  readonly specification: Specification
}

/** How webhooks are delivered by default. `choices.webhook` can override each member. */
const OWN_DELIVERY: DeliveryPolicy = {
  method: 'POST',
  headers: { 'user-agent': 'concord-emulator' },
  copies: 1,
  attempts: 3,
  retryDelayMs: (attempt) => 1_000 * 2 ** (attempt - 2),
  timeoutMs: 10_000,
  redirect: 'manual',
}

const OPERATION = 'jobCompleted'

/** Sends the webhook of an ended job in the background. */
export function announce(job: Job, tools: WebhookTools): void {
  const failed = () => void (job.webhookDelivered = false)
  const work = { operation: OPERATION, about: `webhook of job ${job.id}`, failed }
  tools.background.run(work, () => send(job, tools))
}

function send(job: Job, tools: WebhookTools): void {
  const { choices, log } = tools
  if (job.webhookUrl === undefined) return

  const own = job.status === 'completed' ? showWebhook(job, choices) : undefined
  const chosen = choices.webhook({ job, body: own })
  if (!chosen) return
  const { body, ...delivery } = chosen
  // For a failed job, the contract has no webhook to check against.
  if (job.status === 'completed' && isRejected(body, tools)) {
    job.webhookDelivered = false
    return
  }
  const attempted = (attempt: Job['webhookAttempts'][number]) => {
    job.webhookAttempts.push(attempt)
    log('info', `extraction: webhook of job ${job.id}: ${attempt.outcome}`)
  }
  const result = deliver(
    { operationId: OPERATION, url: job.webhookUrl, body, policy: { ...OWN_DELIVERY, ...delivery } },
    { ...tools, attempted },
  )
  void result.then(
    (delivered) => (job.webhookDelivered = delivered),
    (error: unknown) => {
      job.webhookDelivered = false
      log(
        'error',
        `extraction: webhook of job ${job.id}: the choice \`webhook\` failed: ${describeError(error)}`,
      )
    },
  )
}

function isRejected(body: JsonObject, { specification, records, clock, log }: WebhookTools): boolean {
  const webhook = specification.webhooks.find(({ operationId }) => operationId === OPERATION)
  if (!webhook)
    throw new EmulatorError('contract', `The extraction contract has no \`${OPERATION}\` webhook.`)
  const value = JSON.parse(JSON.stringify(body)) as unknown
  const mismatches = specification.judge(webhook.media[0]?.schema, value, 'body')
  if (mismatches.length === 0) return false
  records.violation({ at: clock.now(), direction: 'webhook', operationId: OPERATION, mismatches })
  log(
    'error',
    `extraction: ${OPERATION}: the contract rejects the webhook: ${reasonsOf(mismatches).join('; ')}`,
  )
  return true
}
