import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { UsageError } from '../command/options.ts'

/** The arguments of a command that reads a folder of documents. */
export interface FolderCommand {
  readonly folder: string
  /** The paths of the JSON and YAML files, relative to the folder. With `--every N`, only every Nth file. */
  readonly files: readonly string[]
  /** The time limit for one document. */
  readonly timeoutMs: number
  /** Returns whether a flag, such as `json`, is set. */
  has(flag: string): boolean
}

/**
 * Reads FOLDER, `--every N`, `--timeout SECONDS` and flags.
 *
 * @throws UsageError if an argument is wrong, or if FOLDER isn't passed or doesn't exist
 */
export function readFolderCommand(words: readonly string[], flags: readonly string[]): FolderCommand {
  const { positionals, tokens } = parseArgs({
    args: [...words],
    options: {
      every: { type: 'string' },
      timeout: { type: 'string' },
      ...Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' }] as const)),
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = new Map(
    tokens.flatMap((token) => (token.kind === 'option' ? [[token.name, token.value] as const] : [])),
  )
  for (const name of given.keys())
    if (!['every', 'timeout', ...flags].includes(name)) throw new UsageError(`Unknown option \`--${name}\`.`)
  const number = (name: string, usual: number): number => {
    const text = given.has(name) ? (given.get(name) ?? '') : String(usual)
    if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
    throw new UsageError(`\`--${name}\` needs a whole number from 1 to 999999, not \`${text}\`.`)
  }
  const [every, seconds] = [number('every', 1), number('timeout', 120)]
  const [folder, more] = positionals
  if (folder === undefined) throw new UsageError('The argument FOLDER is missing.')
  if (more !== undefined) throw new UsageError(`Unexpected argument \`${more}\`: pass only one folder.`)
  const files = filesIn(folder)
    .filter((file) => /\.(?:json|ya?ml)$/.test(file))
    .filter((_, index) => index % every === 0)
  return { folder, files, timeoutMs: seconds * 1000, has: (flag) => given.has(flag) }
}

/**
 * Returns the sorted paths of all files and folders in `folder`/`inner`, at any depth. The paths are relative to
 * `folder`/`inner`.
 *
 * @throws UsageError if the folder doesn't exist
 */
export function filesIn(folder: string, inner = ''): string[] {
  if (!existsSync(join(folder, inner)))
    throw new UsageError(`The folder \`${join(folder, inner)}\` doesn't exist.`)
  return readdirSync(join(folder, inner), { recursive: true, encoding: 'utf8' }).sort()
}

/** Runs a command. If the command line is wrong, prints the reason and the usage, and returns 2. */
export async function runCommand(usage: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n${usage}`)
    return 2
  }
}
