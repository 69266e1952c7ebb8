import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { WrongAnswerError } from '../answers.ts'
import { interleave } from '../measure/interleave.ts'
import { median } from '../measure/stats.ts'
import type { Figure, Target } from '../report/figure.ts'
import { toFigure } from '../report/to-figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { jobAddress } from '../server/job-address.ts'
import { startServer } from '../server/start-server.ts'
import { cacheFolder, stockClient } from '../stock/stock-client.ts'
import { BARE, type Program, programs } from './programs.ts'

/** For each of the two figures. */
const plans: Readonly<Record<Extent, { readonly rounds: number; readonly limitMs: number }>> = {
  full: { rounds: 31, limitMs: 22_000 },
  quick: { rounds: 5, limitMs: 3_000 },
  smoke: { rounds: 1, limitMs: 0 },
}

/** What it takes to load a client, and to get a first answer with it, from the start of the process to its end. */
export const start: Row = {
  name: 'start',
  title: 'import, and cold start to the first answer',
  async run(context) {
    const { module } = await stockClient()
    await using server = startServer('jobs', context)
    const all = programs(await jobAddress(server), module)
    const load = await measurePrograms('import', all, ({ load }) => load, context)
    const answer = await measurePrograms('first answer', all, ({ answer }) => answer, context)
    return [
      figure('import', load, [{ direction: 'at most', limit: 0.25, of: 'compared' }]),
      figure('cold start to the first answer', answer, [
        { direction: 'at most', limit: 1, of: 'compared' },
        { direction: 'at most', limit: 0.8, of: 'compared' },
      ]),
    ]
  },
}

/**
 * Runs programs in turn; each takes the time of its whole process.
 *
 * @throws WrongAnswerError when one ends with another code than 0.
 */
export async function measurePrograms(
  what: string,
  all: readonly Program[],
  code: (program: Program) => string,
  { extent, pin, progress }: RowContext,
): Promise<Map<string, number[]>> {
  // Inside the package, so that the programs find the packages that they import.
  mkdirSync(cacheFolder, { recursive: true })
  const folder = mkdtempSync(join(cacheFolder, 'start-'))
  try {
    const subjects = all.map((program) => {
      const { subject } = program
      const file = join(folder, `${subject.replaceAll(' ', '-')}.mjs`)
      writeFileSync(file, `${code(program)}\n`)
      const run = () => timeProgram(subject, file, pin ? CORES.subject : undefined)
      // Once unmeasured: the files are then in memory.
      run()
      return [subject, run] as const
    })
    const plan = plans[extent]
    const onRound = (done: number) => progress.tell(`start: ${what}, round ${done + 1} of ${plan.rounds}`)
    return await interleave(new Map(subjects), { ...plan, onRound })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a program to its end. Gives milliseconds. */
function timeProgram(subject: string, file: string, core: number | undefined): number {
  const command = core === undefined ? [] : ['taskset', '-c', String(core)]
  const [program = '', ...words] = [...command, process.execPath, file]
  const began = performance.now()
  const { status, error, stderr } = spawnSync(program, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const elapsedMs = performance.now() - began
  if (error) throw error
  if (status !== 0) {
    throw new WrongAnswerError(`${subject} ended with code ${status}: ${stderr.toString().slice(0, 1000)}`)
  }
  return elapsedMs
}

function figure(title: string, results: ReadonlyMap<string, number[]>, targets: readonly Target[]): Figure {
  const bareMs = median(results.get(BARE) ?? [])
  return toFigure({
    title,
    meaning: 'time over bare node; beside raw undici, less is better',
    unit: 'ms',
    results,
    value: (elapsedMs) => elapsedMs,
    compare: 'cost',
    floor: BARE,
    targets,
    notes: [`an empty program takes ${bareMs.toFixed(1)} ms from start to end`],
  })
}
