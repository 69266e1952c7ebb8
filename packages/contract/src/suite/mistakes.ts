import type { Spec } from '@concord/spec-model'
import type { Finding, FindingCode } from '../http/exchange.ts'
import type { PrismHost } from '../http/prism.ts'
import type { SuiteSizes } from './context.ts'
import type { ContractSubject } from './subject.ts'
import { createContractSuite, type ContractSuite } from './suite.ts'
import type { SuiteCheck } from './suite-of.ts'

/** A mistake that is planted deliberately to test whether the contract tests find it. @public */
export interface PlantedMistake {
  /** Describes the mistake, for instance `lost trailing slash (listBlueprints)`. */
  readonly kind: string
  /** The code of the finding that reveals the mistake. */
  readonly expect: FindingCode
  /**
   * The operation, webhook or component schema with the mistake. Its checks run first, which saves time. Default: none.
   */
  readonly about?: string
  /** Returns a `ContractSubject` with the mistake. */
  plant(): ContractSubject | Promise<ContractSubject>
}

/** The result for a planted mistake. @public */
export interface MistakeResult {
  readonly kind: string
  readonly expect: FindingCode
  readonly caught: boolean
  /** The finding that reveals the mistake. If the mistake was not caught: the first finding, if any. */
  readonly reason?: Finding & { readonly check: string }
}

/** Options of {@link tryMistakes}. @public */
export interface TryMistakesOptions {
  readonly spec: string | Spec
  readonly mistakes: readonly PlantedMistake[]
  readonly prism?: PrismHost
  readonly sizes?: Partial<SuiteSizes>
}

/** Small sizes that are enough to find a planted mistake. */
export const smallSizes: SuiteSizes = { randomResponses: 1, mutantsOverWire: 24, schemaValues: 3 }

/**
 * Tests the contract tests. For each planted mistake, runs them until the expected finding appears. If a mistake
 * isn't caught, the contract tests would also miss it in a real client.
 *
 * @public
 */
export async function tryMistakes(options: TryMistakesOptions): Promise<readonly MistakeResult[]> {
  const results: MistakeResult[] = []
  for (const mistake of options.mistakes) results.push(await tryMistake(mistake, options))
  return results
}

async function tryMistake(
  { kind, expect, about, plant }: PlantedMistake,
  { spec, prism, sizes }: TryMistakesOptions,
): Promise<MistakeResult> {
  const suite = await createContractSuite({
    spec,
    subject: await plant(),
    sizes: { ...smallSizes, ...sizes },
    ...(prism ? { prism } : {}),
  })
  const isAbout = ({ row }: SuiteCheck) => about !== undefined && row.split(' | ')[1] === about
  const first = suite.checks.filter((check) => isAbout(check))
  const rest = suite.checks.filter((check) => !isAbout(check))
  return untilFound({ checks: [...first, ...rest], close: () => suite.close() }, kind, expect)
}

/** Runs the checks of a suite until one returns the expected finding. Then closes the suite. */
export async function untilFound(
  suite: Pick<ContractSuite, 'checks' | 'close'>,
  kind: string,
  expect: FindingCode,
): Promise<MistakeResult> {
  let other: (Finding & { readonly check: string }) | undefined
  try {
    for (const check of suite.checks) {
      for (const finding of await check.run()) {
        const reason = { ...finding, check: check.name }
        if (finding.code === expect) return { kind, expect, caught: true, reason }
        other ??= reason
      }
    }
    return { kind, expect, caught: false, ...(other ? { reason: other } : {}) }
  } finally {
    await suite.close()
  }
}
