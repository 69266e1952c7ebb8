import type { Operation, ResponseSpec } from '@concord/spec-model'
import { responseExamples, webhookExamples } from '../coverage/matrix.ts'
import type { CellResult } from '../coverage/report.ts'
import {
  type Exchange,
  type Finding,
  finding,
  type FindingCode,
  type HeaderLine,
  headerValue,
  isInRange,
  isJson,
  mediaTypeOf,
  readJson,
  type RecordedRequest,
} from '../http/exchange.ts'
import { forwarder } from '../http/forward.ts'
import { startPrism, type PrismHost } from '../http/prism.ts'
import type { Credentials } from '../oracle/security.ts'
import { cellOf, few, type SuiteContext } from './context.ts'
import type { CallInput, CallTarget, Outcome } from './subject.ts'
import { judgeRequest } from '../oracle/request-judge.ts'
import { judgeResponse } from '../oracle/response-judge.ts'

/** A script of calls to an emulator, or to another stand-in for the service. Every exchange is checked. @public */
export interface Walk {
  /** The URL of the stand-in, or one URL for each server in the contract, by URL template (`servers[].url`). */
  readonly upstream: string | { readonly [serverTemplate: string]: string }
  /** Credentials that the stand-in accepts, by the name of the security scheme. */
  readonly credentials: Credentials
  readonly steps: readonly WalkStep[]
  /** Responses that the stand-in can't produce, each with the reason. They don't count as covered. */
  readonly unreachable?: readonly UnreachableResponse[]
}

/** One step of a {@link Walk}. Each step provokes one documented response. @public */
export interface WalkStep {
  readonly operation: string
  /** The status of the documented response, as a string, or `default`. */
  readonly status: string
  /** The title. Steps for the same response must have different titles. */
  readonly title: string
  /** The codes of deliberate violations in the step's request, which provoke an error response. */
  readonly breaks?: readonly FindingCode[]
  run(context: WalkContext): Promise<void>
}

/** The argument of {@link WalkStep.run}. @public */
export interface WalkContext {
  /** Where the client sends requests: a proxy that checks them and forwards them to the stand-in. */
  readonly target: CallTarget
  /** Calls the step's operation through the client under test. `instead` overrides the operation or credentials. */
  call(input: Partial<CallInput>, instead?: WalkCall): Promise<Outcome>
  /** Checks a webhook that the stand-in delivered. */
  delivered(webhook: string, delivery: DeliveredWebhook): void
}

/** Overrides for one call of a step. @public */
export interface WalkCall {
  /** An operation other than the step's. */
  readonly operation?: string
  /** Credentials other than the walk's. */
  readonly credentials?: Credentials
}

/** A webhook as it was received. @public */
export interface DeliveredWebhook {
  readonly method: string
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
}

/** A response that a stand-in can't produce. @public */
export interface UnreachableResponse {
  /** The operationId, or the name of a webhook. */
  readonly operation: string
  /** Absent for a webhook. */
  readonly status?: string
  readonly reason: string
}

/** The result of a step. @public */
export interface WalkStepResult {
  /** The step's operation, status and title, for instance `getJob 404: unknown job`. */
  readonly name: string
  readonly findings: readonly Finding[]
  readonly exchanges: readonly WalkedExchange[]
}

/** One exchange of a step. Contains no headers and no bodies, since they can be secret. @public */
export interface WalkedExchange {
  /** Absent if the request matches no operation of the contract. */
  readonly operation?: string
  readonly status: number
  /** Whether the exchange went through Prism's proxy. */
  readonly throughPrism: boolean
}

export async function runWalk(
  context: SuiteContext,
  walk: Walk,
): Promise<{ readonly steps: readonly WalkStepResult[]; readonly cells: readonly CellResult[] }> {
  const walker = new Walker(context, walk)
  try {
    const steps: WalkStepResult[] = []
    for (const step of walk.steps) steps.push(await walker.step(step))
    return { steps, cells: walker.cells() }
  } finally {
    await walker.close()
  }
}

interface RowResult {
  readonly throughPrism: boolean
  readonly findings: readonly Finding[]
}

class Walker {
  readonly #context: SuiteContext
  readonly #walk: Walk
  readonly #prisms = new Map<string, Promise<PrismHost>>()
  readonly #rows = new Map<string, { throughPrism: boolean; findings: Finding[] }>()

  constructor(context: SuiteContext, walk: Walk) {
    this.#context = context
    this.#walk = walk
  }

  async step(step: WalkStep): Promise<WalkStepResult> {
    const { spec, front, subject } = this.#context
    const servers = [...new Set(spec.operations.map((one) => one.server))]
    const findings: Finding[] = []
    const exchanges: WalkedExchange[] = []
    const reachedResponses = new Set<string>()
    const recorded = await front.serveDuring(
      servers,
      async (request, server) => {
        const sent = await this.#forward(request, server)
        const judged = judgeExchange(this.#context, { request, response: sent.response }, step)
        // If a 2xx response in the contract has `x-not-shown`, the service may also send other 2xx statuses. Prism
        // doesn't know this extension, and compares such a response with `default`, which describes errors. So
        // Prism's findings about the response are dropped.
        const { response } = judged
        const isOtherStatus =
          response?.openStatus === true && String(sent.response.status) !== response.status
        const objections = sent.findings.filter(
          ({ at, message }) =>
            !(judged.broken && /request/i.test(at + message)) &&
            !(isOtherStatus && /response/i.test(at + message)),
        )
        findings.push(...judged.findings, ...objections)
        exchanges.push({
          ...(judged.operation ? { operation: judged.operation.id } : {}),
          status: sent.response.status,
          throughPrism: sent.prism,
        })
        if (judged.operation && judged.response) {
          reachedResponses.add(`${judged.operation.id} ${judged.response.status}`)
          this.#recordRows(judged.operation.id, judged.response, mediaTypeOf(sent.response.headers), {
            throughPrism: sent.prism,
            findings: [...judged.findings, ...objections],
          })
        }
        return sent.response
      },
      async ({ addresses }) => {
        const target = (operationId: string): CallTarget => {
          const server = spec.operations.find((one) => one.id === operationId)?.server ?? ''
          return { baseUrl: addresses[server] ?? '', servers: addresses, credentials: this.#walk.credentials }
        }
        const empty: CallInput = { path: {}, query: {}, headers: {} }
        try {
          await step.run({
            target: target(step.operation),
            call: (input, { operation = step.operation, ...other } = {}) =>
              subject.call(operation, { ...empty, ...input }, { ...target(operation), ...other }),
            delivered: (webhook, delivery) => {
              const found = judgeWebhook(this.#context, webhook, delivery)
              findings.push(...found)
              this.#recordWebhookRows(webhook, mediaTypeOf(delivery.headers), found)
            },
          })
        } catch (error) {
          findings.push(finding('step', 'step', `threw ${String(error)}`))
        }
      },
    )
    for (const stray of recorded.strays) {
      findings.push(
        finding('outside-base', 'request.path', `a request was sent outside the base URL: ${stray}`),
      )
    }
    if (!reachedResponses.has(`${step.operation} ${step.status}`)) {
      const got = exchanges.map((one) => one.status).join(', ') || 'no response'
      findings.push(finding('step', 'step', `expected ${step.status}, got ${got}`))
    }
    const name = `${step.operation} ${step.status}: ${step.title}`
    return { name, findings: few(findings, 10), exchanges }
  }

  cells(): CellResult[] {
    const cells: CellResult[] = [...this.#rows].map(([row, { throughPrism, findings }]) => ({
      row,
      column: 'emulator',
      cell: cellOf({
        by: 'emulator',
        note: throughPrism ? "Checked by Ajv and by Prism's proxy." : 'Checked by Ajv.',
        findings: few(findings),
      }),
    }))
    for (const { operation, status, reason } of this.#walk.unreachable ?? []) {
      for (const row of this.#rowsOf(operation, status)) {
        const stale: Finding[] = this.#rows.has(row)
          ? [finding('step', 'walk.unreachable', 'the response is listed as unreachable, but was reached')]
          : []
        const cell = { by: 'emulator', note: reason, findings: stale }
        cells.push({
          row,
          column: 'emulator',
          cell: stale.length > 0 ? cellOf(cell) : { ...cell, state: 'unreachable' },
        })
      }
    }
    return cells
  }

  async close(): Promise<void> {
    for (const prism of this.#prisms.values()) await (await prism).close()
  }

  /**
   * Sends a request through Prism's proxy. Sends it directly if Prism is off, or if Prism would reject the request or
   * corrupt a body.
   */
  async #forward(
    request: RecordedRequest,
    server: string,
  ): Promise<{ response: Exchange['response']; findings: readonly Finding[]; prism: boolean }> {
    const { upstream } = this.#walk
    const address = typeof upstream === 'string' ? upstream : (upstream[server] ?? '')
    const type = mediaTypeOf(request.headers)
    const accept = headerValue(request.headers, 'accept')
    const plain =
      request.body.length === 0 || (type !== undefined && (isJson(type) || type.startsWith('text/')))
    if (plain && this.#context.prism && !accept?.startsWith('image/')) {
      const started = this.#prisms.get(address) ?? startPrism(this.#context.spec, { upstream: address })
      this.#prisms.set(address, started)
      return { ...(await (await started).exchange(request)), prism: true }
    }
    const direct = forwarder(address)
    try {
      return { response: await direct.send(request), findings: [], prism: false }
    } finally {
      direct.close()
    }
  }

  #recordRows(
    operation: string,
    response: ResponseSpec,
    mediaType: string | undefined,
    result: RowResult,
  ): void {
    for (const { media, key } of responseExamples(operation, response))
      if (!media || media === response.media.find((one) => isInRange(one.type, mediaType)))
        this.#recordRow(key, result)
  }

  #recordWebhookRows(webhook: string, mediaType: string | undefined, findings: readonly Finding[]): void {
    const described = this.#context.spec.webhooks.find((one) => one.name === webhook)
    for (const { media, key } of described ? webhookExamples(described) : [])
      if (media?.type === mediaType) this.#recordRow(key, { throughPrism: false, findings })
  }

  #recordRow(row: string, { throughPrism, findings }: RowResult): void {
    const known = this.#rows.get(row) ?? { throughPrism: false, findings: [] }
    known.throughPrism ||= throughPrism
    known.findings.push(...findings)
    this.#rows.set(row, known)
  }

  #rowsOf(name: string, status: string | undefined): string[] {
    const { spec } = this.#context
    const operation = spec.operations.find((one) => one.id === name)
    const response = operation?.responses.find((one) => one.status === status)
    if (response) return responseExamples(name, response).map(({ key }) => key)
    const webhook = spec.webhooks.find((one) => one.name === name)
    return webhook ? webhookExamples(webhook).map(({ key }) => key) : []
  }
}

interface ExchangeVerdict {
  readonly operation?: Operation
  readonly response?: ResponseSpec
  /** True if the request violates the contract and the step's `breaks` announces a violation. */
  readonly broken: boolean
  readonly findings: readonly Finding[]
}

function judgeExchange(
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
    findings.push(finding('step', 'request', message))
  }
  return { operation, ...(ofResponse.response ? { response: ofResponse.response } : {}), broken, findings }
}

function judgeWebhook(
  { spec, oracle }: SuiteContext,
  name: string,
  delivery: DeliveredWebhook,
): readonly Finding[] {
  const webhook = spec.webhooks.find((one) => one.name === name)
  if (!webhook) return [finding('step', 'webhook', `the contract has no webhook \`${name}\``)]
  const findings: Finding[] = []
  if (delivery.method !== webhook.method) {
    findings.push(finding('method', 'webhook.method', `expected ${webhook.method}, got ${delivery.method}`))
  }
  const type = mediaTypeOf(delivery.headers)
  const media = webhook.media.find((one) => one.type === type)
  if (!media) {
    const message = `expected ${webhook.media.map((one) => one.type).join(' or ')}, got ${type ?? 'none'}`
    return [...findings, finding('content-type', 'webhook.headers.content-type', message)]
  }
  if (!media.schema || !isJson(media.type)) return findings
  const read = readJson(delivery.body)
  if (!read) return [...findings, finding('body', 'webhook.body', 'is not JSON')]
  for (const issue of oracle.judge(media.schema, read.value)) {
    findings.push(finding('body', `webhook.body${issue.path}`, issue.reason))
  }
  return findings
}
