// Packs every published package, installs the tarballs into projects outside of the workspace, and runs these
// projects on different platforms. See docs/platforms.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { packAll } from '../../check/src/packed/pack.ts'
import { usageError } from '../../check/src/usage-error.ts'

import type { Consumer, Outcome } from './consumer.ts'
import { consumers } from './consumers/index.ts'
import { closeRegistries } from './consumers/package-managers.ts'
import type { GroupName } from './groups.ts'
import { installGroup } from './install.ts'
import { Project } from './project.ts'
import { describe, summarize, table, toJunit, writeReport } from './report.ts'
import { Unavailable } from './unavailable.ts'
import { serveEmulator, type ServedEmulator } from './serve.ts'

const USAGE = `Usage: npm run consumers -- [NAME...] [--quick] [--json FILE] [--junit FILE] [--keep] [--list]

Runs projects that use the packed packages, on the platforms in docs/platforms.md. With NAMEs, runs only the projects
with these names.

  --quick        Run only the projects that are part of npm test.
  --json FILE    Also write the outcomes as JSON.
  --junit FILE   Also write the outcomes as JUnit XML. Default with --quick: tools/consumers/reports/junit.xml.
  --keep         Keep the folder with the projects, and print its path.
  --list         List the names of the projects, and what each project tests.`

const { values, positionals } = readWords()

if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
if (values.list) {
  for (const { name, what } of consumers) console.log(`${name.padEnd(20)} ${what}`)
  process.exit(0)
}
const unknown = positionals.filter((name) => !consumers.some((consumer) => consumer.name === name))
if (unknown.length > 0) {
  console.error(
    `Unknown consumer \`${unknown.join('`, `')}\`. Valid names: ${consumers.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
const chosen = consumers.filter(
  ({ name, isQuick = false }) =>
    (positionals.length === 0 || positionals.includes(name)) && (!values.quick || isQuick),
)

const parent = mkdtempSync(join(tmpdir(), 'concord-consumers-'))
const outcomes: Outcome[] = []
let emulator: Promise<ServedEmulator> | undefined
try {
  const packed = packAll(join(parent, 'tarballs'))
  const installed = new Map<GroupName, string | Error>()
  for (const consumer of chosen) {
    const outcome = await attempt(consumer, () => {
      const { group } = consumer
      if (!installed.has(group)) installed.set(group, installOrError(group))
      const folder = installed.get(group)
      if (folder === undefined || folder instanceof Error) throw folder ?? new Error('not installed')
      return new Project(join(folder, consumer.folder), join(folder, 'node_modules'), async () => {
        emulator ??= serveEmulator(join(folder, 'shared', 'serve.mjs'))
        try {
          return (await emulator).served
        } catch (error) {
          // Each group installs its own copy of the emulator, so the next group can try again.
          emulator = undefined
          throw error
        }
      })
    })
    outcomes.push(outcome)
    console.log(describe(outcome))
  }

  function installOrError(group: GroupName): string | Error {
    try {
      return installGroup(parent, group, packed)
    } catch (error) {
      return error as Error
    }
  }
} finally {
  ;(await emulator)?.stop()
  await closeRegistries()
  if (values.keep) console.log(`Kept ${parent}`)
  else rmSync(parent, { recursive: true, force: true, maxRetries: 3 })
}

const reports = join(import.meta.dirname, '..', 'reports')
const junit = values.junit ?? (values.quick ? join(reports, 'junit.xml') : undefined)
if (junit !== undefined) writeReport(junit, toJunit(outcomes))
if (values.json !== undefined) writeReport(values.json, `${JSON.stringify(outcomes, null, 2)}\n`)
if (outcomes.length > 1) console.log(`\n${table(outcomes)}\n`)
for (const { name, result } of outcomes) if (result === 'unavailable') console.log(`NOT RUN HERE: ${name}`)
console.log(summarize(outcomes))
process.exit(outcomes.some(({ result }) => result === 'failed') ? 1 : 0)

async function attempt(consumer: Consumer, install: () => Project): Promise<Outcome> {
  const { name, what, group } = consumer
  const started = performance.now()
  const ended = (result: Outcome['result'], reason?: string): Outcome => ({
    name,
    what,
    group,
    result,
    seconds: (performance.now() - started) / 1000,
    ...(reason !== undefined && { reason }),
  })
  try {
    await consumer.run(install())
    return ended('passed')
  } catch (error) {
    if (error instanceof Unavailable) return ended('unavailable', error.message)
    return ended('failed', error instanceof Error ? error.message : String(error))
  }
}

function readWords() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        junit: { type: 'string' },
        keep: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    console.error(`consumers: ${usageError(error)}\n\n${USAGE}`)
    process.exit(2)
  }
}
