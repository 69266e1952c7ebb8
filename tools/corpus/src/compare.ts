// `npm run compare`: compares Concord's generator with others on the documents in a folder.
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'

import { readFolderCommand, runCommand } from '../../../packages/generate/src/corpus/folder-command.ts'

/** The other generators and their peer dependencies. */
const installed = {
  '@hey-api/openapi-ts': '0.99.0',
  '@kubb/core': '4.39.3',
  '@kubb/plugin-client': '4.39.3',
  '@kubb/plugin-oas': '4.39.3',
  '@kubb/plugin-ts': '4.39.3',
  '@kubb/plugin-zod': '4.39.3',
  axios: '1.21.1',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  typescript: '5.9.3',
  zod: '4.6.7',
} as const

/** The names that `generator-process.mjs` accepts. `concord` is the generator in this repository. */
const generators = ['concord', '@hey-api/openapi-ts', 'openapi-typescript', 'orval', 'kubb'] as const

type GeneratorName = (typeof generators)[number]

/** The result of one generator on one document. */
export interface Attempt {
  readonly generator: GeneratorName
  readonly file: string
  /** Why the generator generated nothing; undefined if it succeeded. */
  readonly rejected?: string
  readonly seconds: number
  readonly megabytes?: number
  /** The size of the generated files. */
  readonly kib?: number
  /** How many errors `tsc --strict` finds in the generated files. */
  readonly errors?: number
  /**
   * How many errors `tsc` finds if `exactOptionalPropertyTypes` and `isolatedDeclarations` are also set. Only some
   * projects use these options.
   */
  readonly strictestErrors?: number
}

const own = resolve(import.meta.dirname, '..')
const repository = resolve(own, '../..')
const others = join(own, '.cache/others')

async function install(): Promise<void> {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: installed }, null, 2)
  const path = join(others, 'package.json')
  const isInstalled =
    existsSync(join(others, 'node_modules')) && existsSync(path) && readFileSync(path, 'utf8') === manifest
  if (!isInstalled) {
    mkdirSync(others, { recursive: true })
    writeFileSync(path, manifest)
    console.error('Installing the other generators ...')
    const { failed } = await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: others,
    })
    if (failed !== undefined) {
      rmSync(path)
      throw new Error(`The other generators could not be installed: ${failed}`)
    }
  }
  copyFileSync(join(import.meta.dirname, 'generator-process.mjs'), join(others, 'generator-process.mjs'))
}

interface Ended {
  readonly output: string
  /** The reason, if the process failed. */
  readonly failed?: string
}

function run(
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly timeout?: number },
): Promise<Ended> {
  return new Promise((done) => {
    execFile(
      command,
      [...words],
      { ...options, maxBuffer: 1e9, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        if (error === null) return done({ output: stdout })
        const reason =
          error.killed === true ? 'it took too long' : stderr.trim().split('\n').at(-1) || error.message
        return done({ output: stdout, failed: reason.slice(0, 200) })
      },
    )
  })
}

/** Runs one generator on one document, in a separate process. */
async function attempt(
  generator: GeneratorName,
  { path, file }: { readonly path: string; readonly file: string },
  timeoutMs: number,
): Promise<Attempt> {
  const isOwn = generator === 'concord'
  const home = isOwn ? own : others
  const folder = join(isOwn ? join(own, '.cache') : others, 'compared')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const script = join(isOwn ? import.meta.dirname : others, 'generator-process.mjs')
  const words = [...(isOwn ? ['--conditions=@concord/source'] : []), script, generator, path, folder]
  const started = performance.now()
  const { output, failed } = await run(process.execPath, words, { cwd: home, timeout: timeoutMs })
  const seconds = Number(((performance.now() - started) / 1000).toFixed(2))
  const reported =
    failed === undefined
      ? (JSON.parse(output) as Pick<Attempt, 'rejected' | 'megabytes'>)
      : { rejected: failed }
  const base = { generator, file, seconds, ...reported }
  if (reported.rejected !== undefined) return base
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const bytes = files.reduce((total, name) => total + statSync(join(folder, name)).size, 0)
  if (files.length === 0 || bytes === 0) return { ...base, rejected: 'it wrote nothing' }
  return { ...base, kib: Math.round(bytes / 1024), ...(await errorsIn(folder, timeoutMs)) }
}

async function errorsIn(
  folder: string,
  timeout: number,
): Promise<Pick<Attempt, 'errors' | 'strictestErrors'>> {
  const strict = {
    strict: true,
    skipLibCheck: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
    module: 'preserve',
    moduleResolution: 'bundler',
    types: [join(repository, 'node_modules/@types/node')],
    customConditions: ['@concord/source'],
    allowImportingTsExtensions: true,
    noEmit: true,
  }
  const strictest = {
    ...strict,
    exactOptionalPropertyTypes: true,
    isolatedDeclarations: true,
    declaration: true,
  }
  const count = async (compilerOptions: object): Promise<number> => {
    const config = join(folder, 'tsconfig.json')
    writeFileSync(config, JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
    const compiler = join(repository, 'node_modules/typescript/bin/tsc')
    const { output, failed } = await run(process.execPath, [compiler, '-p', config], { cwd: folder, timeout })
    // Counts only errors in the folder: the paths of other files, such as those of a package, start with `..`.
    const found = output.split('\n').filter((line) => /^[^.\s][^(]*\(\d+,\d+\): error TS/.test(line)).length
    return failed !== undefined && output === '' ? Number.NaN : found
  }
  return { errors: await count(strict), strictestErrors: await count(strictest) }
}

export function tableOf(attempts: readonly Attempt[]): string {
  const rows = generators.map((generator) => {
    const mine = attempts.filter((each) => each.generator === generator)
    const accepted = mine.filter(({ rejected }) => rejected === undefined)
    const clean = accepted.filter(({ errors }) => errors === 0)
    const strictest = accepted.filter(({ strictestErrors }) => strictestErrors === 0)
    const numbers = (key: 'seconds' | 'megabytes' | 'kib') =>
      accepted.map((each) => each[key] ?? 0).sort((a, b) => a - b)
    return [
      generator,
      `${accepted.length} of ${mine.length}`,
      String(clean.length),
      String(strictest.length),
      ...(['seconds', 'megabytes', 'kib'] as const).map((key) => median(numbers(key))),
    ]
  })
  const head = [
    'generator',
    'accepted',
    'tsc --strict',
    'strictest tsc',
    'median s',
    'median MB',
    'median KiB',
  ]
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function median(sorted: readonly number[]): string {
  return String(sorted[sorted.length >> 1] ?? '–')
}

const USAGE = 'Usage: npm run compare -- FOLDER [--every N] [--timeout SECONDS] [--json]'

async function main(): Promise<number> {
  const { folder, files, timeoutMs, has } = readFolderCommand(process.argv.slice(2), ['json'])
  await install()
  const attempts: Attempt[] = []
  for (const file of files) {
    const path = resolve(folder, file)
    if (!/"?openapi"?\s*:/.test(readFileSync(path, 'utf8').slice(0, 2000))) continue
    for (const generator of generators) {
      const result = await attempt(generator, { path, file }, timeoutMs)
      attempts.push(result)
      const outcome = result.rejected ?? `${result.seconds} s, ${result.errors} errors`
      if (has('json')) console.log(JSON.stringify(result))
      else console.error(`${file} ${generator}: ${outcome}`)
    }
  }
  if (!has('json')) console.log(tableOf(attempts))
  return 0
}

if (import.meta.main) process.exitCode = await runCommand(USAGE, main)
