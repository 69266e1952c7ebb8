import type { SchemaOracle, Spec } from '@concord/spec-model'
import type { Cell, Column } from '../coverage/matrix.ts'
import type { Finding } from '../http/exchange.ts'
import type { Front } from '../http/front.ts'
import type { PrismHost } from '../http/prism.ts'
import type { ContractSubject } from './subject.ts'

/** How many values each check tries. @public */
export interface SuiteSizes {
  /** Random responses from Prism for each response of the contract, and as many from our own generator, after one with the required and one with all properties. */
  readonly randomResponses: number
  /** Changed copies of each example that go over the wire. */
  readonly mutantsOverWire: number
  /** Values per component schema that are passed directly to its validator. */
  readonly schemaValues: number
}

/** The sizes of an ordinary run. @public */
export const defaultSizes: SuiteSizes = { randomResponses: 4, mutantsOverWire: 60, schemaValues: 20 }

/** Shared by all checks of a suite. */
export interface SuiteContext {
  readonly spec: Spec
  readonly oracle: SchemaOracle
  /** The same, but enums with `x-open-enum` accept only their listed values. The client may accept or reject a value that only this oracle rejects. */
  readonly closedOracle: SchemaOracle
  /**
   * Accepts whatever a client may leave unchecked: some formats, properties that don't belong to the direction, and what the
   * generator widened.
   */
  readonly looseOracle: SchemaOracle
  readonly subject: ContractSubject
  readonly front: Front
  /** Undefined if the suite runs without Prism. */
  readonly prism: PrismHost | undefined
  readonly seed: string
  readonly sizes: SuiteSizes
}

/** One check, and the cell of the matrix that it fills. */
export interface Check<Context = SuiteContext> {
  readonly row: string
  readonly column: Column
  run(context: Context): Promise<CheckResult>
}

export interface CheckResult {
  readonly by: string
  readonly note?: string
  readonly findings: readonly Finding[]
}

/** Converts a result to a cell. */
export function cellOf({ by, note, findings }: CheckResult): Cell {
  return { state: findings.length > 0 ? 'failed' : 'covered', by, ...(note ? { note } : {}), findings }
}

/** Completes the note of a check: values that the contract rejects, but that the client may accept. */
export function leftOpen(count: number): string {
  return count === 0 ? '' : ` ${count} others weren't compared, since the client may accept them.`
}

/** The result of a check that has no valid request to send. */
export function notSent(problem: string): CheckResult {
  return { by: 'ajv', findings: [{ code: 'no-example', at: 'request', message: problem }] }
}

/** Returns each finding once. */
export function unique(findings: readonly Finding[]): Finding[] {
  const byText = new Map(findings.map((one) => [`${one.code} ${one.at} ${one.message}`, one]))
  return [...byText.values()]
}

/** Limits the number of findings, since a client that is wrong everywhere would have thousands. */
export function few(findings: readonly Finding[], limit = 5): readonly Finding[] {
  const rest = findings.length - limit
  if (rest <= 0) return findings
  const [first] = findings
  if (!first) return findings
  return [
    ...findings.slice(0, limit),
    { code: first.code, at: first.at, message: `and ${rest} more findings` },
  ]
}
