// Changes the source a little, many times over, and reports the changes that no test notices.
// Usage: npm run mutants [-- FOLDER[:FILE] ...]
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { PartialStrykerOptions } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'

import { type MutatedFolder, selectFolders } from './folders.ts'
import { type Equivalent, type Mutant, score } from './score.ts'

const root = join(fileURLToPath(import.meta.url), '..', '..', '..', '..')
const reports = join(root, 'tools', 'mutants', 'reports')
const GOAL_PERCENT = 95

async function mutate(folder: MutatedFolder): Promise<readonly Mutant[]> {
  const packageRoot = join(root, folder.packageFolder)
  const slug = folder.name.replaceAll(/[^\w]+/g, '-')
  process.chdir(packageRoot)
  const options = {
    testRunner: 'vitest',
    plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
    mutate: [...folder.files],
    // The wording of messages isn't part of any contract: a test that pins it would only restate it.
    mutator: { excludedMutations: ['StringLiteral'] },
    coverageAnalysis: 'perTest',
    // A mutant of a module constant takes a run of all tests, about twenty seconds each.
    ignoreStatic: true,
    concurrency: 2,
    // Time-outs count as killed, so a busy machine must not cause any.
    timeoutMS: 30_000,
    // Two levels below the root, as packages are: their configurations find tools/ and tsconfig.base.json from there.
    tempDirName: join('..', '..', '.mutants'),
    // Stryker rewrites references in this file with the compiler's JavaScript API, which TypeScript 7 doesn't have.
    tsconfigFile: 'none.json',
    ignorePatterns: ['dist', 'reports', 'coverage'],
    vitest: { configFile: join('..', '..', 'tools', 'mutants', 'mutated.config.ts'), related: true },
    incremental: true,
    incrementalFile: join(reports, `${slug}.incremental.json`),
    reporters: ['progress-append-only', 'html'],
    htmlReporter: { fileName: join(reports, `${slug}.html`) },
    allowConsoleColors: false,
    fileLogLevel: 'off',
    logLevel: 'error',
  }
  // Levels are a const enum in Stryker's types; their values are these strings.
  const results = await new Stryker(options as PartialStrykerOptions).runMutationTest()
  const sources = new Map<string, readonly string[]>()
  return results.map(({ fileName, location, mutatorName, replacement = '', status }) => {
    const file = relative(root, resolve(packageRoot, fileName))
    const lines = sources.get(file) ?? readFileSync(join(root, file), 'utf8').split('\n')
    sources.set(file, lines)
    const source = lines[location.start.line - 1]?.trim() ?? ''
    return { file, line: location.start.line, mutator: mutatorName, source, replacement, status }
  })
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

const folders = selectFolders(process.argv.slice(2))
const equivalents = JSON.parse(
  readFileSync(join(root, 'tools', 'mutants', 'equivalents.json'), 'utf8'),
) as readonly Equivalent[]
mkdirSync(reports, { recursive: true })
let reached = true
try {
  for (const folder of folders) {
    const mutants = await mutate(folder)
    const slug = folder.name.replaceAll(/[^\w]+/g, '-')
    writeFileSync(join(reports, `${slug}.json`), `${JSON.stringify(mutants, undefined, 2)}\n`)
    reached = print(folder, mutants, equivalents) && reached
  }
} finally {
  rmSync(join(root, '.mutants'), { recursive: true, force: true })
}
if (!reached) {
  console.error(`Fewer than ${GOAL_PERCENT} % of the mutants were killed in a folder.`)
  process.exitCode = 1
}
