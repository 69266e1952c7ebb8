import type { Consumer } from '../consumer.ts'
import { bundlers } from './bundlers.ts'
import { databases } from './databases.ts'
import { generators } from './generators.ts'
import { nodes } from './nodes.ts'
import { installers } from './package-managers.ts'
import { readmes } from './readmes.ts'
import { runtimes } from './runtimes.ts'
import { testRunners } from './test-runners.ts'
import { typescripts } from './typescripts.ts'

/** All consumers, in the order in which they run: quick consumers first. */
export const consumers: readonly Consumer[] = [
  ...nodes,
  ...readmes,
  ...typescripts,
  ...bundlers,
  ...testRunners,
  ...installers,
  ...generators,
  ...runtimes,
  ...databases,
].toSorted((one, other) => Number(other.isQuick ?? false) - Number(one.isQuick ?? false))
