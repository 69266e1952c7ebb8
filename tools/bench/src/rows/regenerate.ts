import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { root } from '../../../check/src/workspace.ts'
import { interleave } from '../measure.ts'
import { OURS, toFigure } from '../report.ts'
import type { Extent, Row } from '../row.ts'

const ROUNDS: Readonly<Record<Extent, number>> = { full: 5, quick: 1, smoke: 1 }
const GENERATOR = join(root, 'tools', 'generate', 'src', 'cli.ts')

/** Generating everything again, without a cache. */
export const regenerate: Row = {
  name: 'regenerate',
  title: 'generating all packages again, without a cache',
  async run({ extent, progress }) {
    let differs = false
    const run = () => {
      // With --check the generator does all its work but writes nothing, as a bench should.
      const args = ['--conditions=@concord/source', GENERATOR, '--check']
      const startedAt = performance.now()
      const { status, error, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root })
      const seconds = (performance.now() - startedAt) / 1000
      if (error) throw error
      // Code 1 means that committed files differ; the time is still that of generating.
      if (status === 1) differs = true
      else if (status !== 0) throw new Error(`the generator ended with code ${status}: ${stdout}${stderr}`)
      return seconds
    }
    const onRound = (done: number) => progress(`regenerate: round ${done + 1} of ${ROUNDS[extent]}`)
    const results = await interleave(new Map([[OURS, run]]), {
      rounds: ROUNDS[extent],
      limitMs: 30_000,
      onRound,
    })
    return [
      toFigure({
        title: 'all services',
        meaning: 'from the start of the process to its end',
        unit: 's',
        results,
        value: (seconds) => seconds,
        compare: 'none',
        targets: [{ direction: 'at most', limit: 10, of: 'value' }],
        notes: differs ? ['committed files differ from the generated ones: run npm run generate'] : [],
      }),
    ]
  },
}
