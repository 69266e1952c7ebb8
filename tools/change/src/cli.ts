import { watch } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { usageError } from '../../check/src/usage-error.ts'

import { type Due, dueServices } from './due.ts'
import type { ChangeReport } from './run.ts'
import type { ToDo } from './to-do.ts'
import { fingerprint, servicesIn } from './tree.ts'

const usage = `Usage: npm run change -- [SERVICE ...] [--watch] [--json]

Run this after you edit a contract. It checks and lints the contract, generates code, plans the release, drafts the changeset, type-checks, runs only the tests of the edited services, and writes the reports of the public surface to docs/api. Finally, it lists what you still have to write.

  SERVICE   Run for this service, even if it wasn't edited. Default: all services whose contract was edited, whose last run
            failed, or whose files have changed since the last run.
  --watch   Run again whenever you save a contract or a service's code.
  --json    Print one JSON object at the end, and the progress to stderr.

Exit codes: 0: everything passed and nothing is left to write; 1: a step failed, or something is left to write; 2: invalid usage; 130: stopped by Ctrl-C (0 with --watch).
`

interface Options {
  readonly asked: readonly string[]
  readonly isJson: boolean
  readonly isWatching: boolean
}

/** Runs `npm run change` in the repository at `root`, and returns the exit code. */
export async function main(words: readonly string[], root: string, signal: AbortSignal): Promise<number> {
  let options: Options
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        watch: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(usage)
      return 0
    }
    options = { asked: positionals, isJson: values.json, isWatching: values.watch }
  } catch (error) {
    process.stderr.write(`change: ${usageError(error)}\n\n${usage}`)
    return 2
  }
  const services = servicesIn(root)
  const unknown = options.asked.find((name) => !services.some((service) => service.name === name))
  if (unknown !== undefined) {
    const { didYouMean } = await import('../../../packages/generate/src/words/closest.ts')
    const names = services.map(({ name }) => name)
    process.stderr.write(
      `change: unknown service \`${unknown}\`${didYouMean(unknown, names) || '.'} Valid names: ${names.join(', ')}.\n`,
    )
    return 2
  }
  try {
    if (options.isWatching) return await runWatching(root, options, signal)
    return await runOnce(root, options, options.asked, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    process.stderr.write(
      '\nchange: stopped. No file is half-written; the next run checks the same services again.\n',
    )
    // With --watch, Ctrl-C is the normal way to stop.
    return options.isWatching ? 0 : 130
  }
}

async function runOnce(
  root: string,
  options: Options,
  asked: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const started = performance.now()
  const print = (line: string) => (options.isJson ? process.stderr : process.stdout).write(`${line}\n`)
  const due = dueServices(root, servicesIn(root), asked)
  if (due.length === 0) {
    print(
      'change: no contract has changed since its code was generated and checked. To check a service anyway, run `npm run change -- SERVICE`.',
    )
    if (options.isJson) printJson({ services: [], steps: [], problems: [], written: [], toDo: [], ok: true })
    return 0
  }
  const report = await runDue(root, due, print, signal)
  if (options.isJson) printJson(report)
  printToDo(report.toDo, print)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  print(`change: ${report.ok ? 'passed' : 'ended, but the change is not done yet'} (${seconds} s)`)
  return report.ok ? 0 : 1
}

async function runDue(
  root: string,
  due: readonly Due[],
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<ChangeReport> {
  const { runChange } = await import('./run.ts')
  for (const { service, why } of due) print(`${service.name}: ${why}`)
  const { isTTY } = process.stderr
  const begin = (name: string) => void (isTTY && process.stderr.write(`  ${name} ...\r`))
  return runChange(due, { root, signal, print, begin })
}

function printToDo(toDo: readonly ToDo[], print: (line: string) => void): void {
  for (const isRequired of [true, false]) {
    const own = toDo.filter((one) => one.isRequired === isRequired)
    if (own.length === 0) continue
    print(isRequired ? '\nLeft to write:' : '\nTo review:')
    for (const { file, line, what } of own)
      print(`  ${file}${line === undefined ? '' : `:${line}`}\n    ${what}`)
  }
  if (toDo.length > 0) print('')
}

function printJson(report: ChangeReport): void {
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
}

function isWrittenByHand(file: string): boolean {
  return /\.(?:yaml|ts|json)$/.test(file) && !/\/(?:node_modules|dist|reports|gen)\//.test(file)
}

/** Runs once, and again after every edit, until the signal is aborted. */
async function runWatching(root: string, options: Options, signal: AbortSignal): Promise<number> {
  const stateOf = () =>
    new Map(
      servicesIn(root).map((service) => [service.name, fingerprint(root, service, isWrittenByHand)] as const),
    )
  let wake: () => void = () => {}
  for (const folder of ['specs', 'packages']) {
    watch(join(root, folder), { recursive: true, signal }, (_event, file) => {
      if (isWrittenByHand(`/${String(file)}`)) wake()
    }).on('error', () => {})
  }
  signal.addEventListener('abort', () => wake())
  let seen = stateOf()
  await runOnce(root, options, options.asked, signal)
  process.stderr.write('change: watching specs and packages; press Ctrl-C to stop\n')
  while (!signal.aborted) {
    // This must be before `runOnce`, so that edits during a run cause another run.
    const state = stateOf()
    const edited = [...state.keys()].filter((name) => seen.get(name) !== state.get(name))
    seen = state
    if (edited.length > 0) await runOnce(root, options, edited, signal)
    else await new Promise<void>((resolve) => (wake = resolve))
  }
  return 0
}

if (import.meta.main) {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort())
  process.exitCode = await main(
    process.argv.slice(2),
    join(import.meta.dirname, '../../..'),
    controller.signal,
  )
  process.exit()
}
