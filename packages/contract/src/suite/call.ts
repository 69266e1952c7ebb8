import type { Operation } from '@concord/spec-model'
import { type Exchange, type Finding, finding } from '../http/exchange.ts'
import type { RequestHandler } from '../http/front.ts'
import { type Credentials, freshSecrets } from '../oracle/security.ts'
import type { SuiteContext } from './context.ts'
import type { CallInput, Outcome } from './subject.ts'

interface CallRecord {
  readonly outcome: Outcome
  /** Absent unless the client sent exactly one request. */
  readonly exchange?: Exchange
  readonly credentials: Credentials
  readonly findings: readonly Finding[]
}

let callCount = 0

interface OneCall {
  readonly input: CallInput
  /** The security schemes for which the client gets a secret. Default: all. */
  readonly schemes?: readonly string[]
}

/** Calls the client once, with fresh secrets. */
export async function callOnce(
  { front, spec, subject }: Pick<SuiteContext, 'front' | 'spec' | 'subject'>,
  operation: Operation,
  { input, schemes = Object.keys(spec.securitySchemes) }: OneCall,
  respond: RequestHandler,
): Promise<CallRecord> {
  callCount += 1
  const credentials = freshSecrets(spec, schemes, `call-${callCount}`)
  const servers = [...new Set(spec.operations.map((one) => one.server))]
  let outcome: Outcome | undefined
  let thrown: unknown
  const recorded = await front.serveDuring(servers, respond, async ({ addresses }) => {
    const target = { baseUrl: addresses[operation.server] ?? '', servers: addresses, credentials }
    try {
      outcome = await subject.call(operation.id, input, target)
    } catch (error) {
      thrown = error
    }
  })
  const findings: Finding[] = recorded.strays.map((stray) =>
    finding('outside-base', 'request.path', `a request was sent outside the base URL: ${stray}`),
  )
  if (!outcome) {
    const message = `the subject threw instead of returning an outcome: ${String(thrown)}`
    findings.push(finding('outcome', 'outcome', message))
    outcome = { kind: 'error', errorNames: ['none'], drift: [] }
  }
  const [first] = recorded.exchanges
  if (recorded.exchanges.length > 1) {
    const message = `expected one request, got ${recorded.exchanges.length}; turn off the client's retries`
    findings.push(finding('attempts', 'request', message))
  }
  if (first && first.server !== operation.server) {
    const message = `the request was sent to the server ${first.server} instead of ${operation.server}`
    findings.push(finding('outside-base', 'request.path', message))
  }
  return {
    outcome,
    ...(first && recorded.exchanges.length === 1 ? { exchange: first } : {}),
    credentials,
    findings,
  }
}

/** Returns a finding with the client's error message if nothing was sent and there is no other finding. */
export function nothingSent({ outcome, exchange, findings }: CallRecord): Finding[] {
  if (exchange || findings.length > 0) return []
  const said =
    outcome.kind === 'error' ? `${outcome.errorNames[0]}: ${outcome.message ?? ''}` : 'it returned data'
  return [finding('attempts', 'request', `the client sent no request (${said.slice(0, 300)})`)]
}
