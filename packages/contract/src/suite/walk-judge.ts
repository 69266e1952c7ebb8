import type { Operation, ResponseSpec } from '@concord/spec-model'
import { isJson, mediaTypeOf, type Exchange, type Finding } from '../http/exchange.ts'
import { judgeRequest } from '../oracle/request-judge.ts'
import { judgeResponse } from '../oracle/response-judge.ts'
import type { SuiteContext } from './context.ts'
import type { DeliveredWebhook, WalkStep } from './walk.ts'

/** The operation of an exchange, and the findings about it. */
interface ExchangeVerdict {
  readonly operation?: Operation
  readonly response?: ResponseSpec
  /** Whether the request violates the contract, as the step declared. */
  readonly broken: boolean
  readonly findings: readonly Finding[]
}

/** Checks both directions of a step's exchange. */
export function judgeExchange(
  { spec, oracle }: Pick<SuiteContext, 'spec' | 'oracle'>,
  { request, response }: Exchange,
  step: Pick<WalkStep, 'operation' | 'breaks'>,
): ExchangeVerdict {
  const ofRequest = judgeRequest(spec, oracle, request)
  const { operation } = ofRequest
  if (!operation) return { broken: false, findings: ofRequest.findings }
  const ofResponse = judgeResponse(operation, oracle, response)
  const intended = operation.id === step.operation ? (step.breaks ?? []) : []
  const broken = intended.length > 0 && ofRequest.findings.length > 0
  const findings = [
    ...ofRequest.findings.filter((finding) => !intended.includes(finding.code)),
    ...ofResponse.findings,
  ]
  if (intended.length > 0 && ofRequest.findings.length === 0) {
    const message = `was meant to violate the contract (${intended.join(', ')}), but conforms to it`
    findings.push({ code: 'step', at: 'request', message })
  }
  return { operation, ...(ofResponse.response ? { response: ofResponse.response } : {}), broken, findings }
}

export function judgeWebhook(
  { spec, oracle }: SuiteContext,
  name: string,
  delivery: DeliveredWebhook,
): readonly Finding[] {
  const webhook = spec.webhooks.find((one) => one.name === name)
  if (!webhook) return [{ code: 'step', at: 'webhook', message: `unknown webhook ${name}` }]
  const findings: Finding[] = []
  if (delivery.method !== webhook.method) {
    const message = `expected ${webhook.method}, got ${delivery.method}`
    findings.push({ code: 'method', at: 'webhook.method', message })
  }
  const type = mediaTypeOf(delivery.headers)
  const media = webhook.media.find((one) => one.type === type)
  if (!media) {
    const message = `expected ${webhook.media.map((one) => one.type).join(' or ')}, got ${type ?? 'none'}`
    return [...findings, { code: 'content-type', at: 'webhook.headers.content-type', message }]
  }
  if (!media.schema || !isJson(media.type)) return findings
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(delivery.body).toString('utf8'))
  } catch {
    return [...findings, { code: 'body', at: 'webhook.body', message: 'is not JSON' }]
  }
  for (const issue of oracle.judge(media.schema, value)) {
    findings.push({ code: 'body', at: `webhook.body${issue.path}`, message: issue.reason })
  }
  return findings
}
