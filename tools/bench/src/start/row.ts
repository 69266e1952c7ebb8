import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { WrongAnswerError } from '../answers.ts'
import { costOver } from '../measure/compare.ts'
import { interleave, type Measure } from '../measure/interleave.ts'
import { spread } from '../measure/stats.ts'
import type { Figure, Line, Target } from '../report/figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { jobAddress } from '../server/job-address.ts'
import { startServer } from '../server/start-server.ts'
import { cacheFolder, stockClient } from '../stock/stock-client.ts'
import { BARE, type Program, programs } from './programs.ts'

const RAW = 'raw undici'
const OURS = 'concord'
const rounds: Readonly<Record<Extent, number>> = { full: 41, quick: 11, smoke: 1 }

/** What it takes to load a client, and to get a first answer with it, from the start of the process to its end. */
export const start: Row = {
  name: 'start',
  title: 'import, and cold start to the first answer',
  async run(context) {
    const { module } = await stockClient()
    await using server = startServer('jobs', context)
    const all = programs(await jobAddress(server), module)
    const load = await measure('import', all, ({ load }) => load, context)
    const answer = await measure('first answer', all, ({ answer }) => answer, context)
    return [
      toFigure('import', load, rounds[context.extent], [
        { direction: 'at most', limit: 0.25, of: 'compared' },
      ]),
      toFigure('cold start to the first answer', answer, rounds[context.extent], [
        { direction: 'at most', limit: 1, of: 'compared' },
        { direction: 'at most', limit: 0.8, of: 'compared' },
      ]),
    ]
  },
}

function measure(
  what: string,
  all: readonly Program[],
  code: (program: Program) => string,
  { extent, pin, progress }: RowContext,
): Promise<Map<string, number[]>> {
  const folder = join(cacheFolder, 'start', what.replace(' ', '-'))
  mkdirSync(folder, { recursive: true })
  const subjects = all.map((program): [string, Measure<number>] => {
    const { subject } = program
    const file = join(folder, `${subject.replaceAll(/\W/g, '-')}.mjs`)
    writeFileSync(file, `${code(program)}\n`)
    const run = () => timeProgram(subject, file, pin ? CORES.subject : undefined)
    // Once unmeasured: the files are then in memory.
    run()
    return [subject, run]
  })
  return interleave(new Map(subjects), rounds[extent], (done) =>
    progress.tell(`start: ${what}, round ${done + 1} of ${rounds[extent]}`),
  )
}

/** Runs a program to its end. */
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

function toFigure(
  title: string,
  results: ReadonlyMap<string, readonly number[]>,
  roundCount: number,
  targets: readonly Target[],
): Figure {
  const of = (name: string) => results.get(name) ?? []
  const bare = of(BARE)
  const lines = [...results]
    .filter(([subject]) => subject !== BARE)
    .map(([subject, values]): Line => {
      const over = values.map((value, round) => value - (bare[round] ?? 0))
      return {
        subject,
        ours: subject === OURS,
        value: spread(over),
        compared: costOver(bare, values, of(RAW)),
      }
    })
  return {
    title,
    meaning: 'time over bare node; beside raw undici, less is better',
    unit: 'ms',
    rounds: roundCount,
    lines,
    targets,
    notes: [`an empty program takes ${spread(bare).median.toFixed(1)} ms from start to end`],
  }
}
