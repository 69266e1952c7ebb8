import { parseArgs } from 'node:util'

import { didYouMean } from '../words/closest.ts'

export const USAGE = `Usage: concord-generate [options]
       concord-generate init

Generates TypeScript clients from OpenAPI and AsyncAPI documents, as configured in concord.config.ts.

  init            Write a concord.config.ts for the documents of this project.

  --config FILE   The path of the config. Default: the path in "concord" of package.json, or else concord.config.ts.
  --service NAME  Generate only this service; may be repeated.
  --out DIR       Write the files under this folder instead of the config's root folder.
  --check         Write no generated file; exit with 1 if a file differs from what would be generated.
  --watch         Generate again whenever an input has changed.
  --strict        Fail on everything that the fidelity report would list, notes included (see README for exceptions).
  --report FILE   Write the fidelity report as Markdown (.md) or JSON (.json); may be repeated.
  --json          Print a JSON object instead of text. With --watch, each result is a separate object.
  --version       Print the version.
  --help          Print this text.

Exit codes:
  0  Done.
  1  Files differ (with --check), or fidelity is below minFidelity. No generated file was written.
  2  The command line, the config or a contract has a mistake, or a file can't be read or written. No generated file
     was written.
`

const OPTIONS = {
  config: { type: 'string' },
  service: { type: 'string', multiple: true },
  out: { type: 'string' },
  check: { type: 'boolean', default: false },
  watch: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  report: { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

export interface CommandLine {
  readonly command: 'generate' | 'init' | 'help' | 'version'
  readonly config: string | undefined
  readonly service: readonly string[] | undefined
  readonly out: string | undefined
  readonly check: boolean
  readonly watch: boolean
  readonly strict: boolean
  readonly report: readonly string[]
  readonly json: boolean
}

/** Printed below the message of a {@link UsageError}. It is short so that the message stays visible. */
export const SHORT_USAGE = 'Usage: concord-generate [options]\nRun concord-generate --help for all options.'

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** @throws UsageError naming the first wrong argument */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const names = Object.keys(OPTIONS)
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    if (!names.includes(token.name))
      throw new UsageError(
        `Unknown option \`${token.rawName}\`${didYouMean(token.name, names).replace(/`(.+)`/, '`--$1`')}`,
      )
    const { type } = OPTIONS[token.name as keyof typeof OPTIONS]
    if (type === 'string' && (token.value === undefined || token.value === ''))
      throw new UsageError(`\`--${token.name}\` needs a value.`)
    if (type === 'boolean' && token.value !== undefined)
      throw new UsageError(`\`--${token.name}\` takes no value.`)
  }
  const [command, ...more] = positionals
  if (command !== undefined && command !== 'init')
    throw new UsageError(
      `Unknown command \`${command}\`${didYouMean(command, ['init']) || '; the only command is `init`. To generate, pass no command.'}`,
    )
  if (more.length > 0) throw new UsageError(`Unexpected argument \`${more[0]}\`: \`init\` takes no argument.`)
  const {
    report = [],
    help,
    version,
    ...options
  } = values as Omit<CommandLine, 'command' | 'report'> & {
    readonly report?: readonly string[]
    readonly help: boolean
    readonly version: boolean
  }
  for (const file of report)
    if (!/\.(?:md|json)$/.test(file))
      throw new UsageError(
        `\`--report ${file}\`: the name of a report must end in .md (Markdown) or .json (JSON).`,
      )
  if (options.check && options.watch) throw new UsageError("`--check` and `--watch` can't be used together.")
  return { ...options, report, command: help ? 'help' : version ? 'version' : (command ?? 'generate') }
}
