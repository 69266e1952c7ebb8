import type { Operation } from '@concord/spec-model'
import type { Exchange, Finding } from '../http/exchange.ts'
import type { Answerer } from '../http/front.ts'
import { type Credentials, freshSecrets } from '../oracle/security.ts'
import type { SuiteContext } from './context.ts'
import type { CallInput, Outcome } from './subject.ts'

/** One call of the client under test, with what went over the wire. */
export interface CallRecord {
  readonly outcome: Outcome
  /** The one exchange; undefined when the client sent nothing, or more than one request. */
  readonly exchange?: Exchange
  readonly credentials: Credentials
  readonly findings: readonly Finding[]
}

let callCount = 0

/** How {@link callOnce} calls. */
interface OneCall {
  readonly input: CallInput
  /** The security schemes of which the client gets a secret. Default: all. */
  readonly schemes?: readonly string[]
}

/** Calls the client once, with fresh secrets, and checks that one request arrived, at the right server. */
export async function callOnce(
  { front, spec, subject }: Pick<SuiteContext, 'front' | 'spec' | 'subject'>,
  operation: Operation,
  { input, schemes = Object.keys(spec.securitySchemes) }: OneCall,
  answer: Answerer,
): Promise<CallRecord> {
  callCount += 1
  const credentials = freshSecrets(spec, schemes, `call-${callCount}`)
  const servers = [...new Set(spec.operations.map((one) => one.server))]
  let outcome: Outcome | undefined
  let thrown: unknown
  const turn = await front.turn(servers, answer, async ({ addresses }) => {
    const target = { baseUrl: addresses[operation.server] ?? '', servers: addresses, credentials }
    try {
      outcome = await subject.call(operation.id, input, target)
    } catch (error) {
      thrown = error
    }
  })
  const findings: Finding[] = turn.strays.map((stray) => ({
    code: 'outside-base',
    at: 'request.path',
    message: `a request went outside of the base address: ${stray}`,
  }))
  if (!outcome) {
    const message = `the subject threw instead of returning an outcome: ${String(thrown)}`
    findings.push({ code: 'outcome', at: 'outcome', message })
    outcome = { kind: 'error', errorNames: ['none'], drift: [] }
  }
  const [first] = turn.exchanges
  if (turn.exchanges.length > 1) {
    const message = `expected one request, got ${turn.exchanges.length}; retries must be off`
    findings.push({ code: 'attempts', at: 'request', message })
  }
  if (first && first.server !== operation.server) {
    const message = `went to the server ${first.server} instead of ${operation.server}`
    findings.push({ code: 'outside-base', at: 'request.path', message })
  }
  return {
    outcome,
    ...(first && turn.exchanges.length === 1 ? { exchange: first } : {}),
    credentials,
    findings,
  }
}

/** A finding when nothing was sent; says what the client said. */
export function nothingSent({ outcome, exchange, findings }: CallRecord): Finding[] {
  if (exchange || findings.length > 0) return []
  const said =
    outcome.kind === 'error' ? `${outcome.errorNames[0]}: ${outcome.message ?? ''}` : 'data without a request'
  return [{ code: 'attempts', at: 'request', message: `no request arrived (${said.slice(0, 300)})` }]
}
