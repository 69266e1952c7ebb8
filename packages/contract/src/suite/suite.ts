import { loadSpec, schemaOracle, type Spec } from '@concord/spec-model'
import { listRows } from '../coverage/matrix.ts'
import { Front } from '../http/front.ts'
import { startPrism, type PrismHost } from '../http/prism.ts'
import { defaultSizes, type SuiteContext, type SuiteSizes } from './context.ts'
import { mockChecks } from './mock-checks.ts'
import { randomChecks } from './random-checks.ts'
import { requestChecks } from './request-checks.ts'
import { widenedPlaces } from './fidelity.ts'
import type { ContractSubject } from './subject.ts'
import { suiteOf, type Suite } from './suite-of.ts'
import { validatorChecks } from './validator-checks.ts'
import { runWalk, type Walk, type WalkStepResult } from './walk.ts'

/** Options of {@link createContractSuite}. @public */
export interface SuiteOptions {
  /** The path or URL of a contract, the name of a service in `@concord/specs`, or a loaded contract. */
  readonly spec: string | Spec
  readonly subject: ContractSubject
  /** The same seed produces the same random responses. Default `concord`. */
  readonly seed?: string
  /**
   * The path of the report that `concord-generate --report fidelity.json` writes. The report lists the places where
   * the client accepts more than the contract. The suite then skips values that violate the contract only at these
   * places. Default: no value is skipped for this reason.
   */
  readonly fidelity?: string
  /** How many values each check tries. Omitted members keep their default. */
  readonly sizes?: Partial<SuiteSizes>
  /**
   * A running Prism from {@link startContractMock}. Several suites of one contract can share it. The suite doesn't
   * close it. If `false`, the suite runs without Prism, and Prism needn't be installed. Default: the suite starts and
   * closes its own Prism.
   */
  readonly prism?: PrismHost | false
}

/** The contract tests of one client. @public */
export type ContractSuite = Suite<Spec, Walk, WalkStepResult>

/**
 * Creates the contract tests of a client. The contract defines what has to be covered.
 *
 * @throws ContractError if the contract or the fidelity report can't be read, or Prism can't be loaded.
 * @public
 */
export async function createContractSuite(options: SuiteOptions): Promise<ContractSuite> {
  const spec = typeof options.spec === 'string' ? await loadSpec(options.spec) : options.spec
  const widened = options.fidelity === undefined ? undefined : widenedPlaces(options.fidelity, spec)
  const prism = options.prism === false ? undefined : (options.prism ?? (await startPrism(spec)))
  const context: SuiteContext = {
    spec,
    oracle: schemaOracle(spec),
    closedOracle: schemaOracle(spec, { closedEnums: true }),
    looseOracle: schemaOracle(spec, { loose: true, ...(widened && { widened }) }),
    subject: options.subject,
    front: await Front.start(),
    prism,
    seed: options.seed ?? 'concord',
    sizes: { ...defaultSizes, ...options.sizes },
  }
  // The fast checks come first, to reveal a wrong client sooner.
  const requests = requestChecks(context)
  return suiteOf({
    spec,
    service: options.subject.service,
    context,
    rows: listRows(spec, context.oracle),
    checks: [
      ...requests.filter((check) => check.column === 'request'),
      ...mockChecks(context),
      ...validatorChecks(context),
      ...requests.filter((check) => check.column !== 'request'),
      ...randomChecks(context),
    ],
    runWalk: (walk: Walk) => runWalk(context, walk),
    async close() {
      await context.front.close()
      if (options.prism === undefined) await prism?.close()
    },
  })
}

/** Starts Prism for a contract. Pass the result as {@link SuiteOptions.prism}. @public */
export async function startContractMock(spec: string | Spec): Promise<PrismHost> {
  return startPrism(typeof spec === 'string' ? await loadSpec(spec) : spec)
}
