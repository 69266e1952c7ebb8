import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { interleave, median } from '../measure.ts'
import { pinned } from '../processes.ts'
import { type Figure, type Target, toFigure } from '../report.ts'
import { type Extent, type Row, type RowContext, WrongResultError } from '../row.ts'
import { type JobAddress, jobAddress, startServer } from '../servers.ts'
import { CACHE_FOLDER, stockClient } from '../stock-client.ts'

/** The two programs of a subject, each as short as possible. */
interface Program {
  readonly subject: string
  /** Code that only loads the subject. */
  readonly load: string
  /** Code that reads a job and exits with code 0 if the job is completed. */
  readonly response: string
}

/** An empty program. Its time is subtracted from the times of all other programs. */
const BARE = 'bare node'

function programs({ baseUrl, jobId, apiKey }: JobAddress, stockModule: string): readonly Program[] {
  const url = JSON.stringify(`${baseUrl}/v1/jobs/${jobId}`)
  const [base, key, id, stock] = [baseUrl, apiKey, jobId, stockModule].map((text) => JSON.stringify(text))
  const headers = `{ headers: { accept: 'application/json', 'x-api-key': ${key} } }`
  const end = `process.exit(job.status === 'completed' ? 0 : 1)`
  return [
    { subject: BARE, load: '', response: 'process.exit(0)' },
    {
      subject: 'raw undici',
      load: `import 'undici'`,
      response: `import { request } from 'undici'
const { body } = await request(${url}, ${headers})
const job = await body.json()
${end}`,
    },
    {
      subject: 'node http',
      load: `import 'node:http'`,
      response: `import { get } from 'node:http'
get(${url}, ${headers}, (response) => {
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (chunk) => (text += chunk))
  response.on('end', () => {
    const job = JSON.parse(text)
    ${end}
  })
})`,
    },
    {
      subject: 'global fetch',
      load: 'void globalThis.fetch',
      response: `const response = await fetch(${url}, ${headers})
const job = await response.json()
${end}`,
    },
    {
      subject: 'stock client',
      load: `import ${stock}`,
      response: `import { createClient, getJob } from ${stock}
const client = createClient({ baseUrl: ${base}, auth: ${key} })
const { data: job } = await getJob({ client, path: { job_id: ${id} }, throwOnError: true })
${end}`,
    },
    {
      subject: 'concord',
      load: `import '@concord/extraction'`,
      response: `import { Extraction } from '@concord/extraction'
const extraction = new Extraction({ baseUrl: ${base}, apiKey: ${key} })
const job = await extraction.api.getJob({ path: { job_id: ${id} } })
${end}`,
    },
  ]
}

/** `rounds` and `limitMs` apply to each of the two figures. */
const PLANS: Readonly<Record<Extent, { readonly rounds: number; readonly limitMs: number }>> = {
  full: { rounds: 31, limitMs: 22_000 },
  quick: { rounds: 5, limitMs: 3_000 },
  smoke: { rounds: 1, limitMs: 0 },
}

export const start: Row = {
  name: 'start',
  title: 'import, and cold start to the first response',
  async run(context) {
    const { module } = await stockClient()
    await using server = startServer('jobs', context)
    const all = programs(await jobAddress(server), module)
    const load = await measurePrograms('import', all, ({ load }) => load, context)
    const response = await measurePrograms('first response', all, ({ response }) => response, context)
    return [
      figure('import', load, [{ direction: 'at most', limit: 0.25, of: 'compared' }]),
      figure('cold start to the first response', response, [
        { direction: 'at most', limit: 1, of: 'compared' },
        { direction: 'at most', limit: 0.8, of: 'compared' },
      ]),
    ]
  },
}

/**
 * Runs programs in turn, and measures the time of each process from start to end.
 *
 * @throws WrongResultError if a program ends with a code other than 0.
 */
export async function measurePrograms(
  what: string,
  all: readonly Program[],
  code: (program: Program) => string,
  context: RowContext,
): Promise<Map<string, number[]>> {
  // The folder is inside this package, so that the programs find the packages that they import.
  mkdirSync(CACHE_FOLDER, { recursive: true })
  const folder = mkdtempSync(join(CACHE_FOLDER, 'start-'))
  try {
    const files = new Map<string, string>()
    const run = (file: string, subject: string) => timeProgram(subject, file, context)
    for (const program of all) {
      const { subject } = program
      const file = join(folder, `${subject.replaceAll(' ', '-')}.mjs`)
      writeFileSync(file, `${code(program)}\n`)
      files.set(subject, file)
      // This run isn't measured: it brings the files into memory.
      run(file, subject)
    }
    return await interleave(files, run, { ...PLANS[context.extent], ...context, what: `start: ${what}` })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function timeProgram(subject: string, file: string, context: RowContext): number {
  const [program = '', ...args] = pinned([process.execPath, file], { role: 'subject', context })
  const startedAt = performance.now()
  const { status, error, stderr } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const elapsedMs = performance.now() - startedAt
  if (error) throw error
  if (status !== 0) {
    throw new WrongResultError(`${subject} ended with code ${status}: ${stderr.toString().slice(0, 1000)}`)
  }
  return elapsedMs
}

function figure(title: string, results: ReadonlyMap<string, number[]>, targets: readonly Target[]): Figure {
  const bareMs = median(results.get(BARE) ?? [])
  return toFigure({
    title,
    meaning: 'time minus that of bare node, also as a ratio to raw undici; less is better',
    unit: 'ms',
    results,
    value: (elapsedMs) => elapsedMs,
    compare: 'cost',
    floor: BARE,
    targets,
    notes: [`an empty program takes ${bareMs.toFixed(1)} ms from start to end`],
  })
}
