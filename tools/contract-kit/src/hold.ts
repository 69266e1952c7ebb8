import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  createContractSuite,
  createSocketSuite,
  htmlPage,
  junitXml,
  mergeReports,
  terminalTable,
  type CoverageReport,
  type SocketStepResult,
  type SocketWalk,
  type WalkStepResult,
} from '@concord/contract'

import type { OperationDescriptor } from '@concord/runtime'

import { writeReport } from './reports.ts'
import { socketSubject, type TestedSockets } from './socket-subject.ts'
import { clientSubject, type TestedPackage } from './subject.ts'
import type { Served } from './walk.ts'

/** A package to test against its contract. */
export interface Holding {
  readonly tested: TestedPackage
  /** The generated functions that create API objects. */
  readonly apis: readonly ((send: never) => object)[]
  /** Starts an emulator, and returns it with its walk. */
  readonly walk: () => Promise<Served>
  /** Present if the service has WebSockets. */
  readonly sockets?: {
    readonly tested: TestedSockets
    readonly walk: () => Promise<Served<SocketWalk>>
  }
  /** Operations with binary data, which Prism's proxy would corrupt. They are checked without Prism. */
  readonly withoutPrism?: readonly string[]
}

/**
 * Defines the tests of a client and the emulator against a contract, including a test that requires full coverage. Call
 * this function once in a test file.
 */
export async function holdToContract(holding: Holding): Promise<void> {
  const { service, generated } = holding.tested
  const suite = await createContractSuite({ spec: service, subject: clientSubject(holding.tested) })
  const sockets =
    holding.sockets &&
    (await createSocketSuite({ spec: service, subject: await socketSubject(holding.sockets.tested) }))
  const report = (): CoverageReport =>
    sockets ? mergeReports(suite.report(), sockets.report()) : suite.report()
  afterAll(async () => {
    await suite.close()
    await sockets?.close()
    await writeReports(report())
  })

  describe('the client against the contract', () => {
    // `it.each` would shorten long names, so several tests would have the same name.
    for (const { name, run } of [...suite.checks, ...(sockets?.checks ?? [])]) {
      it(name, async () => {
        expect(await run()).toEqual([])
      })
    }
  })

  /** Returns the operation instead of sending it. */
  const echo = ((operation: OperationDescriptor) => operation) as never
  it.each(Object.entries(generated.operations))(
    'the method %s of every API object of the client sends the operation with this name',
    (id, operation) => {
      for (const api of holding.apis) {
        const methods = api(echo) as Record<string, (input: object) => unknown>
        expect(methods[id]?.({})).toBe(operation)
      }
    },
  )

  describe('the emulator against the contract', () => {
    let steps: readonly WalkStepResult[]
    let socketSteps: readonly SocketStepResult[] = []
    beforeAll(async () => {
      await using served = await holding.walk()
      steps = await suite.walk(served.walk)
      if (!sockets || !holding.sockets) return
      await using connected = await holding.sockets.walk()
      socketSteps = await sockets.walk(connected.walk)
    })

    it('conforms to the contract in every step of the walk', () => {
      const wrong = [...steps, ...socketSteps].filter(({ findings }) => findings.length > 0)
      expect(wrong.map(({ name, findings }) => ({ name, findings }))).toEqual([])
    })

    it("is also checked by Prism's proxy, except for what Prism would corrupt", () => {
      const exchanges = steps.flatMap((one) => one.exchanges)
      const direct = exchanges.filter((one) => !one.throughPrism).map((one) => one.operation)
      expect(new Set(direct)).toEqual(new Set(holding.withoutPrism ?? []))
      expect(exchanges.length).toBeGreaterThan(direct.length)
    })
  })

  it('the tests cover everything that the contract documents', () => {
    expect(missingCoverage(report())).toEqual([])
  })
}

/** Returns the problems in a report. The first ones say which steps the walk lacks. */
function missingCoverage({ service, rows, problems }: CoverageReport): string[] {
  const walk = `packages/${service}/contract/walk.ts`
  const uncovered = rows.filter(({ cells }) => cells.emulator.state === 'missing')
  const keys = new Set(uncovered.map(({ key }) => `not covered: ${key} | emulator`))
  const byOperation = Map.groupBy(uncovered, ({ operation }) => operation)
  const steps = [...byOperation].map(([operation, missing]) => {
    if (!missing.every(({ direction }) => direction === 'response'))
      return `${walk} has no step for these parts of ${operation}: ${missing.map(({ key }) => key).join('; ')}. Add steps that cover them.`
    const statuses = [...new Set(missing.map(({ status }) => status))]
    const example = `step('${operation}', '${statuses[0]}', 'what the step shows', (at) => at.call({ /* the input */ }))`
    return `${walk} has no step for ${operation} with ${statuses.join(', ')}. Add a step for each status, for example \`${example}\`. To provoke errors, use \`control.faults\` of the emulator.`
  })
  return [...steps, ...problems.filter((problem) => !keys.has(problem))]
}

async function writeReports(report: CoverageReport): Promise<void> {
  const { service } = report
  await writeReport(service, 'contract.json', JSON.stringify(report, null, 2))
  await writeReport(service, 'contract.html', htmlPage(report))
  await writeReport(service, 'contract.xml', junitXml(report))
  await writeReport(service, 'contract.txt', terminalTable(report))
}
