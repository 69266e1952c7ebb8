import { reasonOf } from '@concord/spec-model'

import { cellOf, few } from '../../suite/context.ts'
import type { CellResult } from '../../coverage/report.ts'
import { type Finding, finding, type FindingCode } from '../../http/exchange.ts'
import type { Credentials } from '../../oracle/security.ts'
import { messageExamples } from '../serve/example-frame.ts'
import type { SeenSocketEvent } from '../serve/seen.ts'
import { serveSocketProxy } from '../serve/socket-proxy.ts'
import type { SocketContext } from './socket-context.ts'
import { messageRow, ruleRow, ruleNames, type RuleName } from './socket-rows.ts'

/** A script of connections to an emulator or another stand-in for the service. Every frame is checked. @public */
export interface SocketWalk {
  /**
   * The URL of the stand-in, or an object with one URL per server. In the object, each key is a server's `host` followed
   * by its `pathname`, as written in the AsyncAPI document.
   */
  readonly upstream: string | { readonly [server: string]: string }
  /** Credentials that the stand-in accepts, by the name of the security scheme. */
  readonly credentials: Credentials
  /** The stand-in's clock, if it has its own clock. Default: this machine's clock. */
  readonly clock?: { monotonic(): number }
  readonly steps: readonly SocketWalkStep[]
}

/** One step of a {@link SocketWalk}. @public */
export interface SocketWalkStep {
  readonly channel: string
  readonly title: string
  /** The rule that the step tests. `run` must throw if the stand-in violates this rule. */
  readonly rule?: RuleName
  /** The codes of the violations that the step commits deliberately. */
  readonly breaks?: readonly FindingCode[]
  /** Opens connections to the proxy at the URLs in `target`. The proxy checks and forwards every frame. */
  run(context: { readonly target: SocketWalkTarget }): Promise<void>
}

/** The destination of a step's connections. @public */
export interface SocketWalkTarget {
  /** The `http://` URL of the proxy, through which the step reaches the server of its channel. */
  readonly baseUrl: string
  readonly servers: { readonly [server: string]: string }
  readonly credentials: Credentials
}

/** The result of a step. @public */
export interface SocketStepResult {
  readonly name: string
  readonly findings: readonly Finding[]
  readonly events: readonly SeenSocketEvent[]
}

export async function runSocketWalk(
  context: SocketContext,
  walk: SocketWalk,
): Promise<{ readonly steps: readonly SocketStepResult[]; readonly cells: readonly CellResult[] }> {
  const { spec, oracle } = context
  const steps: SocketStepResult[] = []
  const cells: CellResult[] = []
  for (const step of walk.steps) {
    const events: SeenSocketEvent[] = []
    const findings: Finding[] = []
    {
      await using proxy = await serveSocketProxy({
        spec,
        upstream: walk.upstream,
        ...(walk.clock ? { clock: walk.clock } : {}),
        onEvent: (seen) => events.push(seen),
      })
      const servers = Object.fromEntries(spec.channels.map((one) => [one.server, proxy.url]))
      try {
        await step.run({ target: { baseUrl: proxy.url, servers, credentials: walk.credentials } })
      } catch (error) {
        findings.push({
          code: 'step',
          at: 'step',
          message: reasonOf(error),
        })
      }
    }
    findings.push(...events.flatMap((one) => one.findings).filter((one) => !step.breaks?.includes(one.code)))
    for (const code of step.breaks ?? []) {
      if (events.some((event) => event.findings.some((one) => one.code === code))) continue
      findings.push(
        finding(
          'step',
          'step',
          `was meant to violate the contract (\`breaks\` lists \`${code}\`), but didn't`,
        ),
      )
    }
    steps.push({ name: `${step.channel}: ${step.title}`, findings, events })
    const channel = spec.channels.find((one) => one.id === step.channel)
    if (channel && step.rule && ruleNames(channel).includes(step.rule)) {
      const cell = cellOf({ by: 'emulator', findings: few(findings) })
      cells.push({ row: ruleRow(channel, step.rule), column: 'emulator', cell })
    }
    for (const event of events) {
      if (event.kind !== 'frame' || event.message === undefined) continue
      const on = spec.channels.find((one) => one.id === event.channel)
      const messages = event.direction === 'sent' ? on?.sends : on?.receives
      const message = messages?.find((one) => one.key === event.message)
      if (!on || !message) continue
      const kept = event.findings.filter((one) => !step.breaks?.includes(one.code))
      // Messages that deliberately violate the contract don't count as coverage.
      if (kept.length < event.findings.length) continue
      for (const { name } of messageExamples(oracle, message)) {
        const cell = cellOf({ by: 'emulator', findings: few(kept) })
        cells.push({ row: messageRow(event.direction, on, message, name), column: 'emulator', cell })
      }
    }
  }
  return { steps, cells: once(cells) }
}

/** Removes repeated results. */
function once(cells: readonly CellResult[]): CellResult[] {
  const kept = new Map<string, CellResult>()
  for (const one of cells) {
    const key = `${one.row} ${one.column} ${JSON.stringify(one.cell.findings)}`
    if (!kept.has(key)) kept.set(key, one)
  }
  return [...kept.values()]
}
