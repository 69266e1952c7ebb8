import { schemaOracle, type SocketSpec, unsupportedSpec } from '@concord/spec-model'
import { defaultSizes, type SuiteSizes } from '../../suite/context.ts'
import { suiteOf, type Suite } from '../../suite/suite-of.ts'
import { socketSpecOf } from '../socket-spec.ts'
import { handshakeChecks } from './handshake-checks.ts'
import { messageChecks } from './message-checks.ts'
import { ruleChecks } from './rule-checks.ts'
import type { SocketContext } from './socket-context.ts'
import { SocketFront } from './socket-front.ts'
import { listSocketRows } from './socket-rows.ts'
import type { SocketSubject } from './socket-subject.ts'
import { runSocketWalk, type SocketStepResult, type SocketWalk } from './socket-walk.ts'

/** Options of {@link createSocketSuite}. @public */
export interface SocketSuiteOptions {
  /** A file, the name of a service in `@concord/specs`, or a document that is already loaded. */
  readonly spec: string | SocketSpec
  readonly subject: SocketSubject
  /** The same seed produces the same random messages. Default `concord`. */
  readonly seed?: string
  /** How many values each check tries. Omitted members keep their default. */
  readonly sizes?: Partial<SuiteSizes>
}

/** The contract tests of a client's WebSockets. @public */
export type SocketSuite = Suite<SocketSpec, SocketWalk, SocketStepResult>

/**
 * Creates the contract tests of a client's WebSockets. The AsyncAPI document defines what these tests must cover.
 *
 * @throws ContractError if the document can't be read, or has text messages that aren't JSON.
 * @public
 */
export async function createSocketSuite(options: SocketSuiteOptions): Promise<SocketSuite> {
  const spec = await socketSpecOf(options.spec)
  const odd = spec.channels.find(({ sends, receives }) => [...sends, ...receives].some(({ plain }) => plain))
  if (odd)
    throw unsupportedSpec(
      `The channel \`${odd.id}\` has text messages that aren't JSON, which this suite can't test.`,
      'To test this channel, use `verifySockets` or `serveSocketProxy`.',
    )
  const context: SocketContext = {
    spec,
    oracle: schemaOracle(spec),
    looseOracle: schemaOracle(spec, { loose: true }),
    subject: options.subject,
    front: await SocketFront.start(),
    seed: options.seed ?? 'concord',
    sizes: { ...defaultSizes, ...options.sizes },
  }
  return suiteOf({
    spec,
    service: options.subject.service,
    context,
    rows: listSocketRows(spec),
    checks: [...handshakeChecks(context), ...messageChecks(context), ...ruleChecks(context)],
    runWalk: (walk: SocketWalk) => runSocketWalk(context, walk),
    close: () => context.front.close(),
  })
}
