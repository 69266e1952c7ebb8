// `npm run bench`: measures the built packages in comparison with other ways to do the same work. The packages and
// the other ways are called subjects. The bench is a report, not a test: it fails only if a subject doesn't do
// its work.
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

import { usageError } from '../../check/src/usage-error.ts'
import { parseOptions } from './options.ts'
import { formatRow, type RowResult } from './report.ts'
import type { Row, RowContext } from './row.ts'
import { calls } from './rows/calls.ts'
import { fleet } from './rows/fleet.ts'
import { fleetScale } from './rows/fleet-scale.ts'
import { regenerate } from './rows/regenerate.ts'
import { size } from './rows/size.ts'
import { socketFrames, socketMessages } from './rows/sockets.ts'
import { start } from './rows/start.ts'
import { upload } from './rows/upload.ts'
import { waits } from './rows/waits.ts'

const ROWS: readonly Row[] = [
  calls,
  start,
  size,
  upload,
  waits,
  socketFrames,
  socketMessages,
  fleet,
  fleetScale,
  regenerate,
]

const usage = `Usage: npm run bench -- [ROW...] [--quick] [--pin] [--json FILE]

Rows (all of them by default):
${ROWS.map(({ name, title }) => `  ${name.padEnd(17)}${title}`).join('\n')}

  --quick      fewer rounds: a first look in under 40 seconds
  --pin        pin the server and the measured process to a processor core each (Linux, needs taskset)
  --json FILE  also write the figures to this file, as JSON`

/** Returns where and when a run took place, because figures from different machines can't be compared. */
function describeMachine() {
  return {
    date: new Date().toISOString(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    /** The average number of running processes in the minute before the bench. */
    load: loadavg()[0] ?? 0,
  }
}

/** Shows progress in one line, which each update overwrites. Shows nothing if the stream isn't a terminal. */
function showProgress(stream: NodeJS.WriteStream): (text: string) => void {
  if (!stream.isTTY) return () => undefined
  return (text) => void stream.write(`\r\u001B[K${text.slice(0, stream.columns - 1)}`)
}

async function run(args: readonly string[]): Promise<number> {
  let options
  try {
    options = parseOptions(
      args,
      ROWS.map(({ name }) => name),
    )
  } catch (error) {
    console.error(`bench: ${usageError(error)}\n\n${usage}`)
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
      'values are medians of all rounds; subjects are compared round by round (median and quartiles)',
  )
  const progress = showProgress(process.stderr)
  const context: RowContext = { extent: options.quick ? 'quick' : 'full', pin: options.pin, progress }
  const results: RowResult[] = []
  let failed = false
  for (const { name, title, run } of ROWS.filter((row) => options.rows.includes(row.name))) {
    const startedAt = performance.now()
    try {
      const figures = await run(context)
      const result = { row: name, title, figures, seconds: (performance.now() - startedAt) / 1000 }
      progress('')
      console.log(`\n${formatRow(result)}`)
      results.push(result)
    } catch (error) {
      progress('')
      failed = true
      console.error(`\n${name}: not measured. ${(error as Error).stack ?? String(error)}`)
    }
  }
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ machine, options, rows: results }, undefined, 2)}\n`)
    console.log(`\nWrote ${options.json}`)
  }
  return failed ? 1 : 0
}

process.exitCode = await run(process.argv.slice(2))
