import type { SchemaOracle, Spec } from '@concord/spec-model'
import type { Cell, Column } from '../coverage/matrix.ts'
import { counted, type Finding, finding } from '../http/exchange.ts'
import type { Front } from '../http/front.ts'
import type { PrismHost } from '../http/prism.ts'
import type { ContractSubject } from './subject.ts'

/** How many values each check tries. @public */
export interface SuiteSizes {
  /**
   * The number of random responses that Prism makes for each response of the contract. Our own generator makes the same
   * number, plus one response with only the required properties and one with all properties.
   */
  readonly randomResponses: number
  /** The maximum number of changed copies that the tests send for each example. */
  readonly mutantsOverWire: number
  /** The number of random values to pass directly to the validator of each component schema or webhook. */
  readonly schemaValues: number
}

/** The default sizes. @public */
export const defaultSizes: SuiteSizes = { randomResponses: 4, mutantsOverWire: 60, schemaValues: 20 }

/** The data that all checks of a suite share. */
export interface SuiteContext {
  readonly spec: Spec
  readonly oracle: SchemaOracle
  /**
   * Like `oracle`, but enums with `x-open-enum` accept only their listed values. The client may accept or reject a
   * value that only this oracle rejects.
   */
  readonly closedOracle: SchemaOracle
  /**
   * Like `oracle`, but also accepts the invalid values that a client may leave unchecked: invalid strings of some
   * formats, `readOnly` properties in requests, and `writeOnly` properties in responses. It also accepts values that
   * violate the contract only where `SuiteOptions.fidelity` says that the client is less strict.
   */
  readonly looseOracle: SchemaOracle
  readonly subject: ContractSubject
  readonly front: Front
  readonly prism: PrismHost | undefined
  readonly seed: string
  readonly sizes: SuiteSizes
}

/** One check, and the cell of the coverage matrix that it fills. */
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

export function cellOf({ by, note, findings }: CheckResult): Cell {
  return { state: findings.length > 0 ? 'failed' : 'covered', by, ...(note ? { note } : {}), findings }
}

/** Returns the result of a check that has no valid request to send. */
export function notSent(problem: string): CheckResult {
  return { by: 'ajv', findings: [finding('no-example', 'request', problem)] }
}

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
    { code: first.code, at: first.at, message: `and ${counted(rest, 'more finding')}` },
  ]
}
