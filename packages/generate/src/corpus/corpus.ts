import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Worker, isMainThread, parentPort } from 'node:worker_threads'

import { print } from '../generate.ts'
import { Inputs } from '../inputs.ts'
import { readService } from '../normalize/service.ts'
import { GenerationError } from '../problems.ts'
import { contractKind } from '../read/kind.ts'
import { readReferences } from '../read/references.ts'
import { readSource } from '../read/source.ts'
import { readFolderCommand, runCommand } from './folder-command.ts'
import { foreignService, inFolder } from './scratch.ts'

export interface Result {
  readonly file: string
  /** The reason why the document wasn't accepted. */
  readonly rejected?: string
  readonly operations?: number
  readonly channels?: number
  /** The number of schemas, parameters, bodies and responses. */
  readonly places?: number
  /** The number of places where the generated code accepts more values than the document allows. */
  readonly widened?: number
  readonly seconds: number
  readonly megabytes: number
  /** The size of everything that was generated, in KiB. */
  readonly size?: number
  /** The number of compiler errors; undefined if the compiler didn't run. */
  readonly errors?: number
  readonly firstError?: string
}

interface Job {
  readonly path: string
  readonly file: string
  readonly check: boolean
}

const repository = resolve(import.meta.dirname, '../../../..')
const run = promisify(execFile)

/** Reads one document, and generates code from it. */
async function tried({ path, file, check }: Job): Promise<Result> {
  const started = performance.now()
  const measured = () => ({
    file,
    seconds: Number(((performance.now() - started) / 1000).toFixed(2)),
    megabytes: Math.round(process.memoryUsage().rss / 1e6),
  })
  try {
    const source = readSource(path, basename(path))
    const inputs = new Inputs({ root: dirname(path) })
    const referred = await readReferences([source], (input) => inputs.readReferred(input))
    const model = await readService(source, undefined, { strict: false, ...referred })
    const files = await print(model, foreignService)
    const size = [...files.values()].reduce((total, text) => total + Buffer.byteLength(text), 0)
    const found = {
      ...measured(),
      operations: model.operations.length,
      channels: model.channels.length,
      places: model.fidelity.places,
      widened: model.fidelity.widened,
      size: Math.round(size / 1024),
    }
    return check ? { ...found, ...(await compiled(files)) } : found
  } catch (error) {
    const reason = error instanceof GenerationError ? error.problems[0]?.reason : error
    return { ...measured(), rejected: String(reason).split('\n')[0] ?? '' }
  }
}

async function compiled(files: ReadonlyMap<string, string>): Promise<Pick<Result, 'errors' | 'firstError'>> {
  const runtime = join(repository, 'packages/runtime/src')
  const config = {
    extends: join(repository, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: true,
      types: [join(repository, 'node_modules/@types/node')],
      paths: {
        '@concord/runtime': [join(runtime, 'index.ts')],
        '@concord/runtime/internal': [join(runtime, 'internal.ts')],
      },
    },
    include: ['validators/*.ts', 'client/*.ts'],
  }
  const all = new Map([
    ...files,
    ['tsconfig.json', JSON.stringify(config)],
    ['package.json', '{"type":"module"}'],
  ])
  return inFolder(all, async (folder) => {
    try {
      await run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', folder], {
        maxBuffer: 1e9,
      })
      return { errors: 0 }
    } catch (error) {
      const lines = String((error as { readonly stdout: unknown }).stdout).split('\n')
      const found = lines.filter((line) => line.includes('error TS'))
      return { errors: found.length, firstError: found[0] ?? lines[0] ?? '' }
    }
  })
}

/**
 * A thread that processes documents. If a document takes too long or too much memory, the thread ends, and the next
 * document gets a new thread.
 */
class Thread {
  #worker: Worker | undefined

  try(job: Job, timeoutMs: number): Promise<Result> {
    const worker = (this.#worker ??= new Worker(new URL(import.meta.url), {
      execArgv: [...process.execArgv],
      resourceLimits: { maxOldGenerationSizeMb: 3000 },
    }))
    return new Promise((resolve) => {
      const done = (result: Result) => {
        clearTimeout(timer)
        worker.off('message', done).off('error', failed)
        resolve(result)
      }
      const failed = (reason: unknown) => {
        done({ file: job.file, seconds: timeoutMs / 1000, megabytes: 0, rejected: String(reason) })
        this.end()
      }
      const timer = setTimeout(failed, timeoutMs, 'it took too long')
      worker.on('message', done).on('error', failed)
      worker.postMessage(job, [])
    })
  }

  end(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}

export function lineOf({ file, rejected, places = 0, widened = 0, ...rest }: Result): string {
  const cost = `${rest.seconds} s, ${rest.megabytes} MB`
  if (rejected !== undefined) return `rejected  ${file} (${cost}): ${rejected}`
  const kept = `${percent(places, widened)} % of ${places} places are kept exactly`
  const types = rest.errors === undefined ? '' : `, ${rest.errors} tsc errors ${rest.firstError ?? ''}`
  const parts = `${rest.operations} operations, ${rest.channels} channels`
  return `accepted  ${file}: ${kept}, ${parts}, ${cost}, ${rest.size} KiB${types}`.trimEnd()
}

function percent(places: number, widened: number): string {
  return places === 0 ? '100.0' : ((1 - widened / places) * 100).toFixed(1)
}

function summaryOf(results: readonly Result[]): string {
  const accepted = results.filter(({ rejected }) => rejected === undefined)
  const kept = accepted
    .map(({ places = 0, widened = 0 }) => Number(percent(places, widened)))
    .sort((a, b) => a - b)
  const clean = accepted.filter(({ errors }) => errors === 0).length
  const types = accepted.some(({ errors }) => errors !== undefined) ? `, ${clean} without tsc errors` : ''
  return `${accepted.length} of ${results.length} accepted${types}; the median share of places kept exactly is ${kept[kept.length >> 1] ?? 0} %`
}

const USAGE = 'Usage: npm run corpus -- FOLDER [--json] [--tsc] [--every N] [--timeout SECONDS]'

async function main(): Promise<number> {
  const { folder, files, timeoutMs, has } = readFolderCommand(process.argv.slice(2), ['json', 'tsc'])
  const results: Result[] = []
  const thread = new Thread()
  for (const file of files) {
    const path = join(folder, file)
    if (contractKind(readFileSync(path, 'utf8')) === undefined) continue
    const result = await thread.try({ path, file, check: has('tsc') }, timeoutMs)
    results.push(result)
    console.log(has('json') ? JSON.stringify(result) : lineOf(result))
  }
  thread.end()
  if (!has('json')) console.log(summaryOf(results))
  return results.some(({ rejected, errors = 0 }) => rejected !== undefined || errors > 0) ? 1 : 0
}

const port = parentPort
if (!isMainThread && port !== null)
  port.on('message', (job: Job) => void tried(job).then((result) => port.postMessage(result, [])))
else if (import.meta.main) process.exitCode = await runCommand(USAGE, main)
