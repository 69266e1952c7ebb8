// `npm run bench`: measures the built packages beside others, in one run. A report, not a test: only a subject that
// does not do its work makes it fail.
import { writeFileSync } from 'node:fs'

import { parseOptions } from './options.ts'
import type { RowResult } from './report/figure.ts'
import { describeMachine } from './report/machine.ts'
import { terminalProgress } from './report/progress.ts'
import { formatRow } from './report/table.ts'
import { rows } from './rows.ts'

const names = rows.map(({ name }) => name)
const usage = `Usage: npm run bench -- [ROW...] [--quick] [--pin] [--json FILE]

Rows (all of them, unless some are named):
${rows.map(({ name, title }) => `  ${name.padEnd(12)}${title}`).join('\n')}

  --quick      fewer rounds: a first look in under 40 seconds
  --pin        hold the server and the measured process to a processor core each (Linux, needs taskset)
  --json FILE  write the figures to a file, too`

async function run(words: readonly string[]): Promise<number> {
  let options
  try {
    options = parseOptions(words, names)
  } catch (error) {
    console.error(`bench: ${(error as Error).message}\n\n${usage}`)
    return 2
  }
  if (options.help) {
    console.log(usage)
    return 0
  }
  const machine = describeMachine()
  const { node, platform, processor, cores, memoryGiB, load } = machine
  console.log(
    `Node ${node}, ${platform}, ${cores} x ${processor}, ${memoryGiB} GiB, load ${load.toFixed(1)}; ` +
      'medians over interleaved rounds, with quartiles; beside is in the same round',
  )
  const progress = terminalProgress(process.stderr)
  const context = { extent: options.quick ? 'quick' : 'full', pin: options.pin, progress } as const
  const results: RowResult[] = []
  let failed = false
  for (const { name, title, run } of rows.filter((row) => options.rows.includes(row.name))) {
    const began = performance.now()
    try {
      const figures = await run(context)
      const result = { row: name, title, figures, seconds: (performance.now() - began) / 1000 }
      progress.done()
      console.log(`\n${formatRow(result)}`)
      results.push(result)
    } catch (error) {
      progress.done()
      failed = true
      console.error(`\n${name}: not measured. ${(error as Error).stack ?? String(error)}`)
    }
  }
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ machine, options, rows: results }, undefined, 2)}\n`)
    console.log(`\nwritten to ${options.json}`)
  }
  return failed ? 1 : 0
}

process.exitCode = await run(process.argv.slice(2))
