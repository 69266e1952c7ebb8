import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { root } from '../../../check/src/workspace.ts'
import { interleave } from '../measure/interleave.ts'
import { OURS, toFigure } from '../report/to-figure.ts'
import type { Extent, Row } from '../row.ts'

const rounds: Readonly<Record<Extent, number>> = { full: 5, quick: 1, smoke: 1 }
const generator = join(root, 'tools', 'generate', 'src', 'cli.ts')

/** Generating everything again, with nothing kept from before. */
export const regenerate: Row = {
  name: 'regenerate',
  title: 'generating all packages again, without a cache',
  async run({ extent, progress }) {
    let differs = false
    const run = () => {
      // Comparing is all that is left out by --check when nothing changed; a bench writes nothing.
      const words = ['--conditions=@concord/source', generator, '--check']
      const began = performance.now()
      const { status, error, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root })
      const seconds = (performance.now() - began) / 1000
      if (error) throw error
      // 1 says that committed files differ; the time is that of generating all the same.
      if (status === 1) differs = true
      else if (status !== 0) throw new Error(`the generator ended with code ${status}: ${stdout}${stderr}`)
      return seconds
    }
    const onRound = (done: number) => progress.tell(`regenerate: round ${done + 1} of ${rounds[extent]}`)
    const results = await interleave(new Map([[OURS, run]]), {
      rounds: rounds[extent],
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
        notes: differs ? ['committed files differ from what is generated: run npm run generate'] : [],
      }),
    ]
  },
}
