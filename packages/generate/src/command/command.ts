import { writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { ConfigError } from '../config/check-config.ts'
import { findConfig, loadConfig } from '../config/load-config.ts'
import { isAddress } from '../inputs.ts'
import { GenerationError, type Problem } from '../problems.ts'
import { type Generated, generateAll } from '../run.ts'
import { type Change, makeFolder } from '../write.ts'
import { jsonReport, markdownReport, terminalReport } from './report.ts'
import { type CommandLine, SHORT_USAGE, USAGE, UsageError, readCommandLine } from './options.ts'

/** The parts of the process that the command uses. */
export interface CliContext {
  /** The working folder. */
  readonly folder: string
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  /** The version of this package. */
  readonly version: string
  /** Called only with `--watch`. Returns a signal that is aborted when watching has to end. */
  readonly stopped: () => AbortSignal
  readonly fetch?: typeof fetch
}

/** Returns an error message if Node's version is too old. `engines` is the required version, from package.json. */
export function nodeProblem(version: string, engines: string): string | undefined {
  const [least, found] = [engines, version].map(
    (each) => /(\d+)\.(\d+)/.exec(each)?.slice(1).map(Number) ?? [],
  )
  const [major = 0, minor = 0] = least ?? []
  const [ownMajor = 0, ownMinor = 0] = found ?? []
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
    ? undefined
    : `concord-generate needs Node ${major}.${minor} or later, which can run TypeScript; this is Node ${version}. Install a newer ` +
        'version, for example from https://nodejs.org.'
}

/** Returns the exit code (see {@link USAGE}). */
export async function run(args: readonly string[], context: CliContext): Promise<number> {
  const { print, printError } = context
  let line: CommandLine
  try {
    line = readCommandLine(args)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    printError(`concord-generate: ${error.message}\n\n${SHORT_USAGE}`)
    return 2
  }
  switch (line.command) {
    case 'help':
      print(USAGE)
      return 0
    case 'version':
      print(context.version)
      return 0
    case 'init': {
      const { init } = await import('./init.ts')
      try {
        return init(context)
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        printError(`concord-generate: ${error.message}`)
        return 2
      }
    }
    case 'generate':
      return line.watch ? watch(line, context) : runOnce(line, context)
  }
}

/** Generates once, and again whenever an input has changed, until the process is stopped. */
async function watch(line: CommandLine, context: CliContext): Promise<number> {
  const { watchInputs } = await import('./watch.ts')
  let before: number | undefined
  await watchInputs(
    async (onFile) => {
      before = await runOnce(line, context, { onFile, isQuiet: before === 0 })
      if (!line.json) context.print('concord-generate: waiting for changes ...')
    },
    context.folder,
    context.stopped(),
  )
  return before ?? 0
}

/** The options of a run with `--watch`. */
interface Watching {
  /** Called with the path of each file before it is read. */
  readonly onFile: (path: string) => void
  /** Whether to print nothing if the run succeeds and changes no files. */
  readonly isQuiet: boolean
}

async function runOnce(line: CommandLine, context: CliContext, watching?: Watching): Promise<number> {
  const { folder, print, printError, fetch } = context
  const started = performance.now()
  try {
    const path = findConfig(folder, line.config)
    watching?.onFile(path)
    const config = await loadConfig(path)
    const generated = await generateAll(config, {
      services: line.service,
      out: line.out === undefined ? undefined : resolve(folder, line.out),
      strict: line.strict,
      fetch,
      onInput: (input) => {
        if (!isAddress(input)) watching?.onFile(resolve(config.root, input))
      },
    })
    const seconds = (performance.now() - started) / 1000
    for (const report of line.report) writeReport(resolve(folder, report), generated)
    const code = finish(line, generated)
    if (watching?.isQuiet !== true || generated.changes.length > 0 || code !== 0)
      print(line.json ? json(line, generated, code) : text(line, generated, seconds))
    return code
  } catch (error) {
    const problems = error instanceof GenerationError ? error.problems : []
    const message =
      error instanceof GenerationError || error instanceof ConfigError
        ? error.message
        : String((error as Error).stack ?? error)
    if (line.json) print(JSON.stringify({ ok: false, message, problems } satisfies JsonFailure, undefined, 2))
    else printError(`concord-generate: ${message}\nconcord-generate: no generated file was written.`)
    return 2
  }
}

/** Writes the files, unless `check` is set or the fidelity is too low. Returns the exit code. */
function finish({ check }: CommandLine, generated: Generated): number {
  if (generated.services.some(({ shortfall }) => shortfall !== undefined)) return 1
  if (check) return generated.changes.length > 0 ? 1 : 0
  generated.write()
  return 0
}

/** With `--json`, a run that fails with exit code 2 prints this. */
interface JsonFailure {
  readonly ok: false
  readonly message: string
  readonly problems: readonly Problem[]
}

function json({ check }: CommandLine, generated: Generated, code: number): string {
  const changes = generated.changes.map(({ file, kind, added, removed }) => ({ file, kind, added, removed }))
  const written = !check && code === 0 && changes.length > 0
  return JSON.stringify({ ok: code === 0, written, changes, ...jsonReport(generated.services) }, undefined, 2)
}

function text(line: CommandLine, { services, changes }: Generated, seconds: number): string {
  const shortfalls = services.flatMap(({ shortfall }) => shortfall ?? [])
  const isDry = line.check || shortfalls.length > 0
  const names = services.map(({ name }) => name).join(', ')
  const total = new Set(services.flatMap(({ files }) => files)).size
  const count = `${total} files of ${names}`
  const time = `(${seconds.toFixed(1)} s)`
  const summary =
    changes.length === 0
      ? `${count} are up to date ${time}.`
      : !isDry
        ? `wrote ${changes.length} of ${count} ${time}.`
        : shortfalls.length > 0
          ? `no generated file was written ${time}.`
          : `${changes.length} of ${count} differ ${time}. Run \`${commandOf(line)}\`, and commit the result.`
  return [
    ...(shortfalls.length > 0 ? [] : changes.map((change) => describe(change, line.check))),
    // If `--check` finds no differences, the report isn't repeated: it was printed when the files were generated.
    ...(line.check && changes.length === 0 && shortfalls.length === 0 ? [] : terminalReport(services)),
    ...shortfalls.map((shortfall) => `concord-generate: ${shortfall}`),
    `concord-generate: ${summary}`,
  ].join('\n')
}

/** Returns the command to run after `--check` has found differences. The command generates for all services. */
function commandOf({ config }: CommandLine): string {
  return `npx concord-generate${config === undefined ? '' : ` --config ${config}`}`
}

function describe({ file, kind, added, removed }: Change, check: boolean): string {
  const words = {
    new: check ? 'missing' : 'new',
    changed: check ? 'differs' : 'changed',
    stale: check ? 'stale' : 'removed',
  }
  return `${words[kind].padEnd(8)} ${file} (+${added} -${removed} lines)`
}

function writeReport(file: string, { services }: Generated): void {
  const content = file.endsWith('.json')
    ? `${JSON.stringify(jsonReport(services), undefined, 2)}\n`
    : markdownReport(services)
  try {
    makeFolder(dirname(file))
    writeFileSync(file, content)
  } catch (error) {
    throw new ConfigError(`The report ${file} can't be written: ${(error as Error).message}`)
  }
}
