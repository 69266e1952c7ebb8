import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { usageError } from '../../check/src/usage-error.ts'

import { draftChangesets, writeDrafts } from './changesets.ts'
import { planRelease, type ReleasePlan } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { bumpText, lacking, reasons } from './report.ts'

const usage = `Usage: npm run plan -- [--base NAME] [--format text|markdown|json|sarif] [--out FILE] [--write] [--check]

Shows which changes to the contracts in specs/ can break programs, and which releases the changes need.

  --base NAME     Compare with this tag, branch, commit, folder or tarball of @concord/specs.
                  Default: the last release.
  --format NAME   text for a terminal (default), markdown for a pull request, json, or sarif (2.1.0).
  --json          The same as --format json.
  --out FILE      Write the report to a file.
  --write         Write or update the changesets of the changed services.
  --check         Exit with 1 if the changesets declare lower bumps than the changes require.

Exit codes: 0: success; 1: with --check, a declared bump is too low; 2: no plan is possible.
`

const FORMATS = ['text', 'markdown', 'json', 'sarif']

/** The output of the command: `out` receives the report or the help, and `err` receives everything else. */
export interface Streams {
  out(text: string): void
  err(text: string): void
}

/** Runs the command and returns the exit code. */
export async function run(words: readonly string[], tree: string, { out, err }: Streams): Promise<number> {
  let options
  try {
    options = parseArgs({
      args: [...words],
      options: {
        base: { type: 'string' },
        format: { type: 'string', default: 'text' },
        json: { type: 'boolean', default: false },
        out: { type: 'string' },
        write: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    err(`plan: ${usageError(error)}\n\n${usage}`)
    return 2
  }
  if (options.help) {
    out(usage)
    return 0
  }
  const format = options.json ? 'json' : options.format
  if (!FORMATS.includes(format)) {
    err(`plan: unknown format \`${format}\`; valid formats: ${FORMATS.join(', ')}\n\n${usage}`)
    return 2
  }
  try {
    const plan = await planRelease({ tree, base: options.base })
    const report = await reportOf(plan, format)
    if (options.out === undefined) out(report)
    else writeReport(options.out, report)
    if (options.write) write(plan, tree, err)
    // A new plan also counts the changesets that --write has just written.
    return options.check
      ? check(options.write ? await planRelease({ tree, base: options.base }) : plan, err)
      : 0
  } catch (error) {
    // Only a failed --check exits with 1, so that CI workflows can tell it from an error.
    err(`plan: ${error instanceof PlanError ? error.message : (error as Error).stack}\n`)
    return 2
  }
}

async function reportOf(plan: ReleasePlan, format: string): Promise<string> {
  if (format === 'json') return `${JSON.stringify(plan, undefined, 2)}\n`
  if (format === 'sarif') return (await import('./print-sarif.ts')).sarifText(plan)
  if (format === 'markdown') return (await import('./print-markdown.ts')).markdownText(plan)
  return (await import('./print-terminal.ts')).terminalText(plan)
}

function writeReport(file: string, report: string): void {
  try {
    writeFileSync(file, report)
  } catch (cause) {
    throw new PlanError(
      `The report can't be written: ${(cause as Error).message}.`,
      'Pass another file as --out.',
      {
        cause,
      },
    )
  }
}

function write(plan: ReleasePlan, tree: string, err: Streams['err']): void {
  const drafts = draftChangesets(plan, tree)
  writeDrafts(drafts, tree)
  for (const { file, status } of drafts) err(`${status.padEnd(9)} ${file}\n`)
  if (drafts.some(({ status }) => status === 'new'))
    err('Replace the first sentence of each new file with what users need to know, and commit the file.\n')
}

function check(plan: ReleasePlan, err: Streams['err']): number {
  const low = lacking(plan)
  for (const one of low) {
    const [reason] = reasons(plan, one)
    const where = reason ? ` ${reason.place.file}:${reason.place.line} ${reason.message}` : ''
    err(
      `plan: ${one.name} needs a ${bumpText(one)} bump, but the changesets declare ${one.declared}.${where}\n`,
    )
  }
  if (low.length > 0)
    err('plan: run `npm run plan -- --write` to raise the bumps, or edit .changeset/*.md.\n')
  return low.length > 0 ? 1 : 0
}

if (import.meta.main)
  process.exitCode = await run(process.argv.slice(2), join(import.meta.dirname, '../../..'), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })
