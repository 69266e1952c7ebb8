import type { Operation, ResponseSpec } from '@concord/spec-model'
import { rowKey } from '../coverage/matrix.ts'
import type { CellResult } from '../coverage/report.ts'
import {
  headerValue,
  isInRange,
  isJson,
  mediaTypeOf,
  type Exchange,
  type Finding,
  type FindingCode,
  type HeaderLine,
  type RecordedRequest,
} from '../http/exchange.ts'
import { forwarder } from '../http/forward.ts'
import { startPrism, type PrismHost } from '../http/prism.ts'
import type { Credentials } from '../oracle/security.ts'
import { exampleNames } from '../coverage/matrix.ts'
import { cellOf, few, type SuiteContext } from './context.ts'
import type { CallInput, CallTarget, Outcome } from './subject.ts'
import { judgeExchange, judgeWebhook } from './walk-judge.ts'

/** A script of calls to an emulator or another stand-in. Every exchange is judged. @public */
export interface Walk {
  /** Where the stand-in listens; one address, or one for each server template of the document. */
  readonly upstream: string | { readonly [serverTemplate: string]: string }
  /** Valid secrets of the stand-in, by the name of the security scheme. */
  readonly credentials: Credentials
  readonly steps: readonly WalkStep[]
  /** Answers that the stand-in can't produce, each with the reason. They don't count as covered. */
  readonly unreachable?: readonly UnreachableAnswer[]
}

/** One step of a {@link Walk}: it brings about one documented answer. @public */
export interface WalkStep {
  readonly operation: string
  /** The status of the documented response, as a string, or `default`. */
  readonly status: string
  /** Its title; steps for the same answer have different titles. */
  readonly title: string
  /** The step breaks the contract on purpose, in these ways, to see the rejection. */
  readonly breaks?: readonly FindingCode[]
  run(context: WalkContext): Promise<void>
}

/** The tools of a step. @public */
export interface WalkContext {
  /** Where to send requests to: the judging proxy in front of the stand-in. */
  readonly target: CallTarget
  /** Calls the step's operation, or another one, with the client under test. */
  call(input: Partial<CallInput>, instead?: WalkCall): Promise<Outcome>
  /** Judges a webhook that the stand-in delivered. */
  delivered(webhook: string, delivery: DeliveredWebhook): void
}

/** The changes to a call of a step. @public */
export interface WalkCall {
  /** Another operation than the step's. */
  readonly operation?: string
  /** Other secrets than those of the walk. */
  readonly credentials?: Credentials
}

/** A webhook as it was received. @public */
export interface DeliveredWebhook {
  readonly method: string
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
}

/** An answer that a stand-in cannot produce. @public */
export interface UnreachableAnswer {
  /** The operationId, or the name of a webhook. */
  readonly operation: string
  /** Absent for a webhook. */
  readonly status?: string
  readonly reason: string
}

/** The result of a step. @public */
export interface WalkStepResult {
  /** For instance `getJob 404: unknown job`. */
  readonly name: string
  readonly findings: readonly Finding[]
  readonly exchanges: readonly WalkedExchange[]
}

/** One exchange of a step. Contains no headers and no bodies, which can be secret. @public */
export interface WalkedExchange {
  /** The operation that the request was for; absent if the document has none for it. */
  readonly operation?: string
  readonly status: number
  /** Whether it also went through Prism's proxy. */
  readonly throughPrism: boolean
}

/** Runs a walk. Returns the results of the steps, and the cells of the matrix that they fill. */
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

/** How a documented answer was reached. */
interface Reached {
  readonly throughPrism: boolean
  readonly findings: readonly Finding[]
}

class Walker {
  readonly #context: SuiteContext
  readonly #walk: Walk
  readonly #prisms = new Map<string, Promise<PrismHost>>()
  readonly #reached = new Map<string, { throughPrism: boolean; findings: Finding[] }>()

  constructor(context: SuiteContext, walk: Walk) {
    this.#context = context
    this.#walk = walk
  }

  async step(step: WalkStep): Promise<WalkStepResult> {
    const { spec, front, subject } = this.#context
    const servers = [...new Set(spec.operations.map((one) => one.server))]
    const findings: Finding[] = []
    const exchanges: WalkedExchange[] = []
    const reached = new Set<string>()
    const turn = await front.turn(
      servers,
      async (request, server) => {
        const sent = await this.#forward(request, server)
        const judged = judgeExchange(this.#context, { request, answer: sent.answer }, step)
        // Prism doesn't know undocumented statuses, and judges another success by the `default` response, which is for errors.
        const { response } = judged
        const another = response?.openStatus === true && String(sent.answer.status) !== response.status
        const objections = sent.findings.filter(
          ({ at, message }) =>
            !(judged.broken && /request/i.test(at + message)) && !(another && /response/i.test(at + message)),
        )
        findings.push(...judged.findings, ...objections)
        exchanges.push({
          ...(judged.operation ? { operation: judged.operation.id } : {}),
          status: sent.answer.status,
          throughPrism: sent.prism,
        })
        if (judged.operation && judged.response) {
          reached.add(`${judged.operation.id} ${judged.response.status}`)
          this.#reach(judged.operation.id, judged.response, mediaTypeOf(sent.answer.headers), {
            throughPrism: sent.prism,
            findings: [...judged.findings, ...objections],
          })
        }
        return sent.answer
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
              this.#reachWebhook(webhook, mediaTypeOf(delivery.headers), found)
            },
          })
        } catch (error) {
          findings.push({ code: 'step', at: 'step', message: `threw ${String(error)}` })
        }
      },
    )
    for (const stray of turn.strays) {
      findings.push({
        code: 'outside-base',
        at: 'request.path',
        message: `went outside of the base address: ${stray}`,
      })
    }
    if (!reached.has(`${step.operation} ${step.status}`)) {
      const got = exchanges.map((one) => one.status).join(', ') || 'no answer'
      findings.push({ code: 'step', at: 'step', message: `expected ${step.status}, got ${got}` })
    }
    const name = `${step.operation} ${step.status}: ${step.title}`
    return { name, findings: few(findings, 10), exchanges }
  }

  /** The cells that the steps reached, and those that can't be reached. */
  cells(): CellResult[] {
    const cells: CellResult[] = [...this.#reached].map(([row, { throughPrism, findings }]) => ({
      row,
      column: 'emulator',
      cell: cellOf({
        by: 'emulator',
        note: throughPrism ? "Judged by Ajv and by Prism's proxy." : 'Judged by Ajv.',
        findings: few(findings),
      }),
    }))
    for (const { operation, status, reason } of this.#walk.unreachable ?? []) {
      for (const row of this.#rowsOf(operation, status)) {
        const stale: Finding[] = this.#reached.has(row)
          ? [{ code: 'step', at: 'walk.unreachable', message: 'is listed as unreachable, and was reached' }]
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

  /** Through Prism's proxy if Prism can carry it; requests that it would corrupt or reject go directly. */
  async #forward(
    request: RecordedRequest,
    server: string,
  ): Promise<{ answer: Exchange['answer']; findings: readonly Finding[]; prism: boolean }> {
    const { upstream } = this.#walk
    const address = typeof upstream === 'string' ? upstream : (upstream[server] ?? '')
    const type = mediaTypeOf(request.headers)
    const accept = headerValue(request.headers, 'accept')
    const plain =
      request.body.length === 0 || (type !== undefined && (isJson(type) || type.startsWith('text/')))
    if (plain && !accept?.startsWith('image/')) {
      const started = this.#prisms.get(address) ?? startPrism(this.#context.spec, { upstream: address })
      this.#prisms.set(address, started)
      return { ...(await (await started).exchange(request)), prism: true }
    }
    const direct = forwarder(address)
    try {
      return { answer: await direct.send(request), findings: [], prism: false }
    } finally {
      direct.close()
    }
  }

  #reach(operation: string, response: ResponseSpec, mediaType: string | undefined, reached: Reached): void {
    const media = response.media.find((one) => isInRange(one.type, mediaType))
    const names = media ? exampleNames(media) : response.media.length === 0 ? ['(no body)'] : []
    for (const name of names) {
      const row = rowKey('response', operation, response.status, media?.type ?? '-', name)
      this.#note(row, reached)
    }
  }

  #reachWebhook(webhook: string, mediaType: string | undefined, findings: readonly Finding[]): void {
    const media = this.#context.spec.webhooks
      .find((one) => one.name === webhook)
      ?.media.find((one) => one.type === mediaType)
    for (const name of media ? exampleNames(media) : []) {
      const row = rowKey('webhook', webhook, '-', media?.type ?? '-', name)
      this.#note(row, { throughPrism: false, findings })
    }
  }

  #note(row: string, { throughPrism, findings }: Reached): void {
    const known = this.#reached.get(row) ?? { throughPrism: false, findings: [] }
    known.throughPrism ||= throughPrism
    known.findings.push(...findings)
    this.#reached.set(row, known)
  }

  #rowsOf(name: string, status: string | undefined): string[] {
    const { spec } = this.#context
    const operation: Operation | undefined = spec.operations.find((one) => one.id === name)
    const response = operation?.responses.find((one) => one.status === status)
    if (response?.media.length === 0) return [rowKey('response', name, response.status, '-', '(no body)')]
    if (response) {
      return response.media.flatMap((media) =>
        exampleNames(media).map((example) => rowKey('response', name, response.status, media.type, example)),
      )
    }
    const webhook = spec.webhooks.find((one) => one.name === name)
    return (webhook?.media ?? []).flatMap((media) =>
      exampleNames(media).map((example) => rowKey('webhook', name, '-', media.type, example)),
    )
  }
}
