import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { root, workspaceFiles } from '../../../check/src/workspace.ts'

export { root }

/** The result of commands. */
export interface Ran {
  readonly code: number | null
  /** Standard output and standard error, in chronological order. */
  readonly output: string
}

/** A copy of the repository in a temporary folder: the files that git tracks or would track, without dependencies. */
export interface RepositoryCopy extends Disposable {
  readonly folder: string
  read(file: string): string
  write(file: string, text: string): void
  /** Runs commands in a shell, in the root of the copy. */
  run(commands: string): Promise<Ran>
  /** Returns a digest of each file, except for dependencies, reports and caches. */
  snapshot(): ReadonlyMap<string, string>
}

export function copyRepository(): RepositoryCopy {
  const folder = mkdtempSync(join(tmpdir(), 'concord-copy-'))
  for (const file of workspaceFiles()) cpSync(join(root, file), join(folder, file), { recursive: true })
  return {
    folder,
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write: (file, text) => writeFileSync(join(folder, file), text),
    run: (commands) => runIn(folder, commands),
    snapshot: () =>
      new Map(
        globSync('**/*', { cwd: folder, withFileTypes: true, exclude: isNotSource })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((path) => [path.slice(folder.length + 1), digest(readFileSync(path))]),
      ),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Returns the files that differ between two snapshots. */
export function changedFiles(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const files = new Set([...before.keys(), ...after.keys()])
  return [...files].filter((file) => before.get(file) !== after.get(file)).toSorted()
}

const isNotSource = (entry: { readonly name: string }): boolean =>
  ['node_modules', 'reports', '.turbo', 'dist'].includes(entry.name)

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

function runIn(folder: string, commands: string): Promise<Ran> {
  // Like a user's shell: without the variables that this test was started with.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|VITEST|TURBO_|NODE_OPTIONS|TEST$|NODE_ENV$)/.test(name),
    ),
  )
  const child = spawn('sh', ['-ec', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => (output += text))
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}
