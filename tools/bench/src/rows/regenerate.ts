import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { root } from '../../../check/src/workspace.ts'
import { interleave } from '../measure.ts'
import { OURS, toFigure } from '../report.ts'
import type { Extent, Row } from '../row.ts'

const ROUNDS: Readonly<Record<Extent, number>> = { full: 5, quick: 1, smoke: 1 }
const GENERATOR = join(root, 'packages', 'generate', 'src', 'cli.ts')

export const regenerate: Row = {
  name: 'regenerate',
  title: 'generating all packages again, without a cache',
  async run({ extent, progress }) {
    const run = () => {
      // In a new, empty folder, the generator writes every file, and doesn't change the committed files.
      const folder = mkdtempSync(join(tmpdir(), 'concord-bench-'))
      try {
        const args = ['--conditions=@concord/source', GENERATOR, '--out', folder]
        const startedAt = performance.now()
        const { status, error, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root })
        const seconds = (performance.now() - startedAt) / 1000
        if (error) throw error
        if (status !== 0 || readdirSync(folder).length === 0)
          throw new Error(`the generator failed or wrote nothing (exit code ${status}): ${stdout}${stderr}`)
        return seconds
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
    const plan = { rounds: ROUNDS[extent], limitMs: 30_000 }
    const results = await interleave(new Map([[OURS, run]]), (run) => run(), {
      ...plan,
      progress,
      what: 'regenerate',
    })
    return [
      toFigure({
        title: 'all services',
        meaning: 'from the start of the process to its end',
        unit: 's',
        results,
        value: (seconds) => seconds,
        targets: [{ direction: 'at most', limit: 10, of: 'value' }],
      }),
    ]
  },
}
