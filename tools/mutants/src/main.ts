// Makes many small changes to the source, one at a time, and reports those that no test notices.
// Usage: npm run mutants [-- [--survivors] FOLDER[:FILE] ...]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { filesOf, type MutatedFolder, selectFolders } from './folders.ts'
import { mutate } from './run.ts'
import { type Equivalent, keyOf, type Mutant, score } from './score.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const reports = join(root, 'tools', 'mutants', 'reports')
const GOAL_PERCENT = 95

const reportOf = ({ name }: MutatedFolder): string => join(reports, `${name.replaceAll(/[^\w]+/g, '-')}.json`)

/** With `--survivors`, returns the folder's mutants that the last run killed. This run skips these mutants. */
function killedBefore(folder: MutatedFolder): readonly Mutant[] {
  if (!onlySurvivors || !existsSync(reportOf(folder))) return []
  const last = JSON.parse(readFileSync(reportOf(folder), 'utf8')) as readonly Mutant[]
  return last.filter(({ status }) => status === 'Killed')
}

/** Mutates all folders of a package together, because each call of `mutate` first runs all tests without mutants. */
async function mutateFolders(packageFolder: string, folders: readonly MutatedFolder[]): Promise<void> {
  const killed = folders.flatMap(killedBefore)
  const known = new Set(killed.map(keyOf))
  const files = folders.flatMap(filesOf)
  const present = new Set<string>()
  const isWanted = (mutant: Omit<Mutant, 'status'>): boolean => {
    present.add(keyOf(mutant))
    return !known.has(keyOf(mutant))
  }
  const others = await mutate({ root, packageFolder, files, isWanted })
  const mutants = [...killed.filter((mutant) => present.has(keyOf(mutant))), ...others]
  for (const folder of folders) {
    const own = new Set(filesOf(folder))
    const results = mutants.filter(({ file }) => own.has(file))
    writeFileSync(reportOf(folder), `${JSON.stringify(results, undefined, 2)}\n`)
    reached = print(folder, results, equivalents) && reached
  }
}

function print(
  folder: MutatedFolder,
  mutants: readonly Mutant[],
  equivalents: readonly Equivalent[],
): boolean {
  const { killed, equivalent, survivors, percent, unused } = score(mutants, equivalents)
  for (const { file, line, mutator, source, replacement } of survivors) {
    console.log(`survived  ${file}:${line}  ${mutator}\n  ${source}\n  -> ${replacement.split('\n')[0]}`)
  }
  for (const { file, source, replacement } of unused) {
    console.log(`no longer needed in equivalents.json: ${file}: ${source} -> ${replacement}`)
  }
  const counts = `${killed} killed, ${survivors.length} survived, ${equivalent} equivalent`
  console.log(`${folder.name}: ${percent.toFixed(1)} % (${counts})`)
  return percent >= GOAL_PERCENT
}

function foldersOf(names: readonly string[]): readonly MutatedFolder[] {
  try {
    return selectFolders(names)
  } catch (error) {
    console.error(
      `mutants: ${(error as Error).message}\nUsage: npm run mutants -- [--survivors] FOLDER[:FILE] ...`,
    )
    return process.exit(2)
  }
}

const flags = process.argv.slice(2)
const onlySurvivors = flags.includes('--survivors')
const selected = foldersOf(flags.filter((flag) => flag !== '--survivors'))
const equivalents = JSON.parse(
  readFileSync(join(root, 'tools', 'mutants', 'equivalents.json'), 'utf8'),
) as readonly Equivalent[]
mkdirSync(reports, { recursive: true })
let reached = true
for (const [packageFolder, folders] of Map.groupBy(selected, (folder) => folder.packageFolder)) {
  await mutateFolders(packageFolder, folders)
}
if (!reached) {
  console.error(`In at least one folder, tests killed fewer than ${GOAL_PERCENT} % of the mutants.`)
  process.exitCode = 1
}
