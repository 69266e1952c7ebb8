import type { SocketSpec } from '@concord/spec-model'
import type { FindingCode } from '../../http/exchange.ts'
import type { SuiteSizes } from '../../suite/context.ts'
import { smallSizes, untilFound, type MistakeResult } from '../../suite/mistakes.ts'
import type { SocketSubject } from './socket-subject.ts'
import { createSocketSuite } from './socket-suite.ts'

/** A mistake that is deliberately planted in a WebSocket client. @public */
export interface PlantedSocketMistake {
  /** The mistake, for instance `a keep-alive as a binary frame`. */
  readonly kind: string
  /** The code of the finding that the contract tests must report. */
  readonly expect: FindingCode
  /** Returns a subject that makes the mistake. */
  plant(): SocketSubject | Promise<SocketSubject>
}

/** Options of {@link trySocketMistakes}. @public */
export interface TrySocketMistakesOptions {
  readonly spec: string | SocketSpec
  readonly mistakes: readonly PlantedSocketMistake[]
  readonly sizes?: Partial<SuiteSizes>
}

/**
 * Tests whether the WebSocket contract tests find planted mistakes. If they don't find a mistake here, they would
 * also miss it in a real client.
 *
 * @public
 */
export async function trySocketMistakes(
  options: TrySocketMistakesOptions,
): Promise<readonly MistakeResult[]> {
  const results: MistakeResult[] = []
  for (const { kind, expect, plant } of options.mistakes) {
    const suite = await createSocketSuite({
      spec: options.spec,
      subject: await plant(),
      sizes: { ...smallSizes, ...options.sizes },
    })
    results.push(await untilFound(suite, kind, expect))
  }
  return results
}
