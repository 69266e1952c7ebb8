// Processes documents and generates images with four worker processes. Every few seconds, one of them is killed. The
// service's own count shows that nothing was lost or done twice. `npm run stress` does the same with 20,000 jobs and
// 500 kills.
import { rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { startDatabaseServer } from '@concord/database'
import { createEmulator } from '@concord/emulator'
import { Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { createFleet, extractionService, folderSink, mediaService } from '@concord/postgres'

import { WorkerProcesses } from './support/worker-processes.ts'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '4' },
    /** The number of workers to kill, at random points. Default: one worker every three seconds. */
    kills: { type: 'string' },
    worker: { type: 'boolean', default: false },
  },
})

/** Opens the fleet, with its clients and the folders for their results. Every process opens it in the same way. */
function openFleet() {
  const env = process.env as Record<string, string>
  const folder = fileURLToPath(new URL('./out/fleet', import.meta.url))
  const quick = { firstDelay: '500ms', minDelay: '500ms' } as const // Omit these in your own code.
  const extraction = new Extraction({
    baseUrl: env['EXTRACTION_BASE_URL']!,
    apiKey: env['EXTRACTION_API_KEY']!,
  })
  const media = new Media({ baseUrl: env['MEDIA_BASE_URL']!, apiSecret: env['MEDIA_API_SECRET']! })
  return createFleet({
    connectionString: env['DATABASE_URL']!,
    services: {
      documents: extractionService(extraction, { sink: folderSink(`${folder}/documents`), ...quick }),
      images: mediaService(media, { sink: folderSink(`${folder}/images`), ...quick }),
    },
  })
}

if (values.worker) {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  process.once('disconnect', () => process.exit())
  await using fleet = openFleet()
  // By now, this process has loaded everything. It waits here until it is needed as a worker.
  await new Promise((resolve) => process.once('message', resolve))
  // When workers are killed this often, some also lose their database connection. `onError` ignores these errors.
  await fleet.work({ signal: stop.signal, concurrency: 8, term: '3s', onError: () => undefined })
  process.exit()
}

// With these values, the account has no limits.
const unlimited = { min: Infinity, max: Infinity }
/** The ids that the emulated service assigned to each job. A second id means that the job was submitted twice. */
const accepted = new Map<string, Set<string>>()
function count(job: string, id: string): void {
  const ids = accepted.get(job) ?? new Set()
  accepted.set(job, ids.add(id))
}
await using emulator = await createEmulator({
  extraction: {
    plan: {
      name: 'unlimited',
      pagesPerMonth: Infinity,
      maxFileMb: 50,
      pagesPerDocument: Infinity,
      requestsPerMinute: Infinity,
    },
    choices: {
      courseOf({ id, fileName }) {
        count(`documents/all/${/\d+/.exec(fileName)}`, id)
        return { queuedMs: 100, processingMs: 400 }
      },
    },
  },
  media: {
    tier: { name: 'unlimited', concurrency: unlimited, dailyGenerations: unlimited, monthlyCapUsd: Infinity },
    choices: {
      courseOf({ id, body }) {
        count(`images/all/${/\d+/.exec(String(body['promptText']))}`, id)
        return { pendingMs: 100, runningMs: 400 }
      },
    },
  },
})
emulator.media.control.setOrganization({ credits: 1_000_000 })
const served = await emulator.serve({ services: ['extraction', 'media'] })
await using database = await startDatabaseServer()
process.env['DATABASE_URL'] = await database.createDatabase()
process.env['EXTRACTION_BASE_URL'] = served.extraction.baseUrl
process.env['EXTRACTION_API_KEY'] = served.extraction.apiKey
process.env['MEDIA_BASE_URL'] = served.media.baseUrl
process.env['MEDIA_API_SECRET'] = served.media.apiSecret
await rm(new URL('./out/fleet', import.meta.url), { recursive: true, force: true })

await using fleet = openFleet()
const half = Math.ceil(Number(values.jobs) / 2)
const file = fileURLToPath(new URL('./documents/receipt.png', import.meta.url))
const numbers = Array.from({ length: half }, (_, index) => index)
const documents = numbers.map((index) => ({ file, filename: `receipt-${index}.png` }))
const images = numbers.map((index) => ({
  operation: 'textToImage' as const,
  request: {
    model: 'gen4_image_turbo' as const,
    promptText: `a boat, number ${index}`,
    ratio: '1280:720' as const,
  },
}))
await fleet.documents.enqueue(documents, { batch: 'all' })
await fleet.images.enqueue(images, { batch: 'all' })
console.log(`enqueued ${documents.length} documents and ${images.length} images`)

const total = 2 * half
const workers = new WorkerProcesses(import.meta.filename, values.kills === undefined ? 0 : 4)
/**
 * A worker is killed each time the number of ended jobs reaches one of these values. The values leave out the last 3%
 * of the jobs, because few workers are busy near the end.
 */
const killsAt = Array.from({ length: Number(values.kills ?? 0) }, () => Math.random() * total * 0.97)
killsAt.sort((a, b) => a - b)
const startedAt = Date.now()
const elapsed = (): number => Math.round((Date.now() - startedAt) / 1000)
let kills = 0
let killedAt = startedAt
const uncertainJobs = new Map<string, string | undefined>()
for (;;) {
  workers.fill(Number(values.workers))
  await sleep(100)
  const { batches, attention, workers: seen } = await fleet.status()
  const inPhase = (name: keyof (typeof batches)[0]['phases']): number =>
    batches.reduce((sum, { phases }) => sum + phases[name], 0)
  const ended = inPhase('done') + inPhase('uncertain')
  if (ended === total) {
    if (inPhase('uncertain') === 0) break
    // In production, a person would check with the service whether it received the request.
    for (const { job } of attention.filter(({ phase }) => phase === 'uncertain')) {
      const [id] = accepted.get(job) ?? []
      uncertainJobs.set(job, id)
      await fleet.resolve(job, id === undefined ? 'not-sent' : { acceptedAs: id })
    }
    continue
  }
  // Only workers with jobs in progress are killed. A worker's name ends with its process id.
  const busy = seen
    .filter(({ holds }) => holds > 0)
    .map(({ name }) => Number(name.split(' ').at(-1)))
    .filter((id) => workers.ids.has(id))
  const due =
    values.kills === undefined
      ? Number(Date.now() - killedAt >= 3_000)
      : killsAt.filter((at) => at <= ended).length - kills
  for (let count = 0; count < due && busy.length > 1; count++) {
    const [victim] = busy.splice(Math.floor(Math.random() * busy.length), 1) as [number]
    await sleep(Math.random() * 20)
    workers.kill(victim)
    kills++
    killedAt = Date.now()
    if (values.kills === undefined || kills % 50 === 0)
      console.log(
        `${elapsed()} s: killed process ${victim} (kill ${kills}); ${inPhase('done')} jobs are done`,
      )
  }
}
const seconds = (Date.now() - startedAt) / 1000
await workers.stop()

const { batches } = await fleet.status()
console.log(`\n${kills} kills in ${Math.round(seconds)} s, ${(total / seconds).toFixed(0)} jobs per second`)
console.table(
  batches.map(({ service, total: jobs, phases }) => {
    const counts = numbers.map((index) => accepted.get(`${service}/all/${index}`)?.size ?? 0)
    return {
      service,
      jobs,
      done: phases.done,
      'tasks at the service': counts.reduce((sum, count) => sum + count, 0),
      doubled: counts.filter((count) => count > 1).length,
      lost: jobs - phases.done,
    }
  }),
)
const names = [...uncertainJobs].map(([job, id]) => `${job} ${id ?? 'not at the service'}\n`)
await writeFile(new URL('./out/fleet/uncertain.txt', import.meta.url), names.join(''))
const unknown = [...uncertainJobs.values()].filter((id) => id === undefined).length
console.log(
  `${uncertainJobs.size} jobs became uncertain and were resolved (see examples/out/fleet/uncertain.txt): ` +
    `the service had accepted ${uncertainJobs.size - unknown} of them, and had never received the other ${unknown}.`,
)
const isExact = [...accepted.values()].every((ids) => ids.size === 1) && accepted.size === total
process.exitCode = isExact && batches.every(({ total: jobs, phases }) => phases.done === jobs) ? 0 : 1
